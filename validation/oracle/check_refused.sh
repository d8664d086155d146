#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Feeds every program of the suite that must be refused to upstream's parser.
#
#   check_refused.sh OPBYOP OUTPUT_DIR
#
# Run it from the root of the repository. Exit code 77: no Python with jaxlib.
opbyop=$1
output=$2
check() {
  sh fixtures/with_python.sh "xla jax torch" jaxlib._jax "$@"
}
check -c "" || exit $?
rm -rf "$output"
"$opbyop" suite stablehlo --refused -o "$output" || exit 1
check -m validation.oracle.check_refused "$output"
