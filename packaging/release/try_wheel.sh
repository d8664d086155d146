#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs a wheel into a new environment of a Python, and judges a model with it; or checks that pip refuses it there.
#
#   packaging/release/try_wheel.sh WHEEL MODEL [PYTHON]
#
# Exits with 0 if every row passes, or if the Python is older than 3.11 and pip refuses the wheel for that reason.
set -eu
wheel=$1 model=$(realpath "$2") python=${3:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/env"
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  if "$folder/env/bin/pip" install --quiet --no-index "$wheel" 2>"$folder/said"; then
    echo "$("$python" --version) took $wheel, which is for 3.11 and later" >&2
    exit 1
  fi
  grep 'requires a different Python' "$folder/said"
  exit
fi
"$folder/env/bin/pip" install --quiet --no-index "$wheel"
export PATH="$folder/env/bin:$PATH"
opbyop --version
opbyop split "$model" -o "$folder/run"
opbyop run "$folder/run" --target host
"$python" --version
