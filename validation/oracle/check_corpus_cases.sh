#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Feeds the cases of the corpora to upstream's parser, one process per set.
#
#   check_corpus_cases.sh FOLDER
#
# Run it from the root of the repository. Exit code 77: no Python with jaxlib, or no corpora.
folder=$1
check() {
  sh fixtures/with_python.sh "xla jax torch" jaxlib.mlir.dialects.stablehlo "$@"
}
check -c "" || exit $?
failed=0
for set in "$folder"/*/; do
  [ -d "$set" ] || { echo "skipped: no cases in $folder, for the corpora are not there; './dev corpora' fetches them"; exit 77; }
  echo "upstream's parser on $(basename "$set"):"
  check -m validation.oracle.check_cases --skip-unknown "$set" || failed=1
done
exit $failed
