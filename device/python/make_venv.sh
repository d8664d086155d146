#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Makes a virtual environment of a requirements file, unless it is there and of the same file.
#
#   make_venv.sh FOLDER REQUIREMENTS
#
# Its stamp, the file's checksum, is written last: an interrupted one is made again.
folder=$1
requirements=$2
set -e
stamp=$(sha256sum "$requirements" | cut -d' ' -f1)
[ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
printf '%s' "$stamp" >"$folder/stamp"
