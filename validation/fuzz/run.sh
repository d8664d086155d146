#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs a fuzz target over the project's seeds and, if they are there, the corpora.
#
#   run.sh PROGRAM TARGET FOLDER LIBFUZZER_OPTION...
#
# Run it from the root of the repository. New inputs go to FOLDER, inputs that fail to FOLDER/TARGET-*.
program=$1
target=$2
folder=$3
shift 3
found=$folder/$target
mkdir -p "$found"
corpora=$(python3 -m fixtures.corpora.folder)/corpora/stablehlo
case $target in
  text) more="ir/vhlo/test ir/test $corpora/print $corpora/interpret $corpora/verify $corpora/math" ;;
  artifact) more="ir/vhlo/test ir/test/Inputs $corpora/vhlo $corpora/../exports $corpora/../../handout3" ;;
  splitter) more="ir/vhlo/test $corpora/vhlo $corpora/interpret $corpora/dynamic" ;;
  target) more="manifests/targets" ;;
  policy) more="manifests/policies" ;;
  baseline) more="manifests/baselines" ;;
  *) more="" ;;
esac
seeds=""
for seed in validation/fuzz/seeds/$target validation/fuzz/regressions/$target $more; do
  if [ -d "$seed" ]; then seeds="$seeds $seed"; fi
done
# libFuzzer ends with 77 where an input fails, which ctest would take for a skip.
exec "$program" -error_exitcode=1 -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=20 -max_len=30000 \
  -artifact_prefix="$folder/$target-" "$@" "$found" $seeds
