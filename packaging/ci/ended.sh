#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs a command of opbyop as a part of a larger run. It succeeds if the part ended, whatever the results of its rows,
# because the rows are judged when all parts are merged (docs/exit-codes.md: 1 a red row, 6 a model that could not be
# split, 8 nothing judged).
#
#   packaging/ci/ended.sh opbyop run out --target host --shard 1/3
"$@"
code=$?
case $code in
  1 | 6 | 8) exit 0 ;;
  *) exit "$code" ;;
esac
