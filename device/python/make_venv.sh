#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Creates a virtual environment from a requirements file, unless it exists and was made from the same file.
#
#   make_venv.sh FOLDER REQUIREMENTS [PYTHON]
#
# PYTHON defaults to the newest one (newest_python.sh).
#
# If the file has a neighbour of its name that ends with .py, that program is run with the environment's Python and its
# folder afterwards: device/pjrt/requirements-rocm.py adds what is in no package.
#
# The stamp, a checksum of the file, is written last: an interrupted environment is created again.
folder=$1
requirements=$2
set -e
stamp=$(sha256sum "$requirements" | cut -d' ' -f1)
[ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
python=${3:-$(sh "$(dirname "$0")/newest_python.sh" ensurepip venv)}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "$requirements: $python is $("$python" --version 2>&1), and opbyop needs Python 3.11 or later; OPBYOP_PYTHON names another" >&2
  exit 3
}
"$python" -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" || {
  echo "$requirements: not every package installs on $("$python" --version); OPBYOP_PYTHON names another Python" >&2
  exit 1
}
after=${requirements%.txt}.py
[ ! -f "$after" ] || "$folder/bin/python" "$after" "$folder"
printf '%s' "$stamp" >"$folder/stamp"
