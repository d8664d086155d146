#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs a command that needs a target's packages. Skips (exit code 77) if `./dev` has not installed them.
#
#   with_requirements.sh TARGET COMMAND ARGUMENT...
#
# The packages are those of `requirements:` in manifests/targets/TARGET.yaml, in that file's virtual environment or in
# $OPBYOP_PYTHON.
root=$(cd "$(dirname "$0")/.." && pwd)
target=$1
shift
requirements=$(sed -n 's/^requirements: *//p' "$root/manifests/targets/$target.yaml")
if [ -n "$requirements" ] && [ -z "${OPBYOP_PYTHON:-}" ]; then
  venv=.venv-$(sh "$root/device/python/venv_of.sh" "$requirements")
  if [ ! -x "$root/$venv/bin/python" ]; then
    echo "skipped: target $target needs $requirements; './dev nightly --target $target' installs it into $venv" >&2
    exit 77
  fi
fi
exec "$@"
