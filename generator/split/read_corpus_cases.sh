#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Reads the cases that generator_corpus_test left, all of a set in one process.
#
#   read_corpus_cases.sh OPBYOP_OPT FOLDER
#
# Exit code 77: there are none, because the corpora are not there.
opt=$1
folder=$2
failed=0
for set in "$folder"/*.mlir; do
  [ -f "$set" ] || { echo "skipped: no cases in $folder, for the corpora are not there; './dev corpora' fetches them"; exit 77; }
  if "$opt" "$set" --split-input-file --allow-unregistered-dialect -o /dev/null; then
    echo "opbyop-opt reads $(grep -c '^// case:' "$set") of them: $(basename "$set" .mlir)"
  else
    failed=1
  fi
done
exit $failed
