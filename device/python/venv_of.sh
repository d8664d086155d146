#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Prints the name of a requirements file's virtual environment, which all targets with that file share.
#
#   venv_of.sh device/iree/requirements.txt       iree: the name of the file's folder
#   venv_of.sh device/pjrt/requirements-tpu.txt   tpu: the suffix of the file's name
name=$(basename "$1" .txt)
case "$name" in
  requirements-*) echo "${name#requirements-}" ;;
  *) basename "$(dirname "$1")" ;;
esac
