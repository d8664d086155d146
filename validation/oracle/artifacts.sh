#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Checks portable artifacts of the corpora: jaxlib reads ours, and ours reads jaxlib's.
#
#   artifacts.sh OPBYOP_CORPUS OUTPUT_DIR
#
# Run it from the root of the repository. Exit code 77: no corpora, or no Python with jaxlib.
corpus=$1
output=$2
corpora=$(python3 -m fixtures.corpora.folder)/corpora
if [ ! -d "$corpora" ]; then
  echo "skipped: $corpora is not there; './dev corpora' fetches it, or set OPBYOP_CORPORA"
  exit 77
fi
python() {
  sh fixtures/with_python.sh "xla jax torch" jaxlib.mlir.dialects.stablehlo "$@"
}
python -c "" || exit $?
rm -rf "$output"
"$corpus" "$corpora" --write "$output/ours" --version 0.9.0 --version 1.0.0 --version 1.17.0 || exit 1
python -m validation.oracle.check_artifacts "$corpora" --ours "$output/ours" --theirs "$output/theirs" || exit 1
"$corpus" "$corpora" --compare "$output/theirs"
