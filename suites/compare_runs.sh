#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes the page that compares the runs of several targets. Skips (exit code 77) if fewer than two have results.
#
#   compare_runs.sh OPBYOP FOLDER RUN...
root=$(cd "$(dirname "$0")/.." && pwd)
opbyop=$1
folder=$2
shift 2
for run in "$@"; do
  shift
  [ ! -f "$run/results.jsonl" ] || set -- "$@" "$run"
done
if [ $# -lt 2 ]; then
  echo "skipped: fewer than two targets have results to compare" >&2
  exit 77
fi
exec "$opbyop" report "$@" -o "$folder" --baseline "$root/manifests/baselines"
