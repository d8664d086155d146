#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Reads the cases that generator_corpus_test wrote, all of a set in one process.
#
#   read_corpus_cases.sh OPBYOP_OPT FOLDER
#
# Exits with 77 if there are none, because the corpora are absent.
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
