#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Feeds every case of the suite to upstream's parser, except those for which the bindings are too old.
#
#   check_suite.sh OPBYOP OUTPUT_DIR
#
# Run it from the root of the repository. Exit code 77: no Python with jaxlib.
opbyop=$1
output=$2
check() {
  sh fixtures/with_python.sh "xla jax torch" jaxlib.mlir.dialects.stablehlo "$@"
}
check -c "" || exit $?
rm -rf "$output"
"$opbyop" suite stablehlo --level full -o "$output" || exit 1
check -m validation.oracle.check_cases --skip-unknown --skip-newer "$output"
