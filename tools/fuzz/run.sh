#!/bin/sh
# Runs a fuzz target over the project's seeds and, where they are, the shared corpora.
#
#   run.sh PROGRAM TARGET FOLDER LIBFUZZER_OPTION...
#
# Run it from the root of the repository. What is found goes to FOLDER, inputs that fail to FOLDER/TARGET-*.
program=$1
target=$2
folder=$3
shift 3
found=$folder/$target
mkdir -p "$found"
corpora=${OPBYOP_CORPORA:-../shared/corpora}
case $target in
  text) more="$corpora/stablehlo/print $corpora/stablehlo/interpret $corpora/stablehlo/verify $corpora/stablehlo/math" ;;
  artifact) more="$corpora/stablehlo/vhlo $corpora/exports" ;;
  *) more="$corpora/stablehlo/vhlo $corpora/stablehlo/interpret $corpora/stablehlo/dynamic" ;;
esac
seeds="ir/vhlo/test tools/fuzz/regressions/$target"
for seed in $more; do
  if [ -d "$seed" ]; then seeds="$seeds $seed"; fi
done
exec "$program" -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=20 -max_len=30000 \
  -artifact_prefix="$folder/$target-" "$@" "$found" $seeds
