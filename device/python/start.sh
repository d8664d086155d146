#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Starts a Python target worker in the environment that its packages are installed in.
#
#   start.sh TARGET MODULE[,MODULE...] ARGUMENT...
#
# runs device/TARGET/worker.py with the first of $OPBYOP_PYTHON, .venv-TARGET and python3 that can import every MODULE.
# Ends with 127 where none can.
target=$1
modules=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
for python in "${OPBYOP_PYTHON:-}" "$root/.venv-$target/bin/python" python3; do
  [ -n "$python" ] && command -v "$python" >/dev/null 2>&1 || continue
  "$python" -c "import importlib.util as u; assert all(map(u.find_spec, '$modules'.split(',')))" 2>/dev/null || continue
  PYTHONPATH="$root/device/python${PYTHONPATH:+:$PYTHONPATH}" exec "$python" -u "$root/device/$target/worker.py" "$@"
done
echo "no Python with the module $modules: './dev nightly --target $target' installs it into .venv-$target, or" \
  "name one in OPBYOP_PYTHON" >&2
exit 127
