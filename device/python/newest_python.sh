#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Prints the Python for the environments of targets: $OPBYOP_PYTHON, else the newest in $PATH, else the newest that uv
# has. It is version 3.11 or later and can import every MODULE.
#
#   newest_python.sh [MODULE...]
#
# Exits with 3 if there is none.
modules=$(printf ', %s' sys "$@")
of() { "$1" -c "import${modules#,}; assert sys.version_info >= (3, 11); print(sys.executable)" 2>/dev/null; }
if [ -n "${OPBYOP_PYTHON:-}" ]; then
  of "$OPBYOP_PYTHON" && exit
  echo "OPBYOP_PYTHON is $OPBYOP_PYTHON ($("$OPBYOP_PYTHON" --version 2>&1)), which is no Python of 3.11 or later with the modules:" \
    "${*:-none}" >&2
  exit 3
fi
for python in python3.14 python3.13 python3.12 python3.11 python3; do
  of "$python" && exit
done
python=$(uv python find '>=3.11' 2>/dev/null) && of "$python" && exit
found=$(python3 --version 2>/dev/null) || found="no python3"
echo "no Python of 3.11 or later in PATH ($found there) has the modules: ${*:-none}; install python3-venv and python3-pip (Debian, Ubuntu)," \
  "or name a Python in OPBYOP_PYTHON" >&2
exit 3
