#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Splits every committed model and feeds the per-op files to upstream's parser.
#
#   split_and_check.sh OPBYOP OUTPUT_DIR
#
# Run it from the root of the repository. Exit code 77: no Python with jaxlib.
opbyop=$1
output=$2
check() {
  sh fixtures/with_python.sh "xla jax torch" jaxlib.mlir.dialects.stablehlo "$@"
}
check -c "" || exit $?
rm -rf "$output"
"$opbyop" split fixtures/models/*.mlirbc -o "$output" || exit 1
check -m validation.oracle.check_cases "$output"
