#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Starts a run on a Slurm cluster: an array of shards, and a job after it that merges them and writes the reports.
#
#   packaging/ci/slurm/submit.sh RUN --target T --shards N [--cpu-partition P] [--device-partition P] [--balance EARLIER|history]
#
# RUN is a folder that `opbyop split` wrote, on a file system that all nodes share. With --cpu-partition the cases are
# compiled there, in one job, and the array executes the bundle on the device partition; without it each shard does both.
# Results and reports are in RUN, or in RUN/bundle if there is one; the logs are in RUN/slurm. A shard whose node is
# lost is queued again and resumed. The state of the last job is that of the run: it fails if the run is red.
#
# Prints the number of that job. `opbyop` must be in PATH on all nodes, or $OPBYOP must name it; OPBYOP_CACHE and
# SBATCH_* are passed to the jobs.
set -eu
usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}
[ $# -ge 1 ] || usage
run=$1 target='' shards='' cpu='' device='' balance=''
shift
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --target) target=$2 ;;
    --shards) shards=$2 ;;
    --cpu-partition) cpu=$2 ;;
    --device-partition) device=$2 ;;
    --balance) if [ -e "$2" ]; then balance=$(realpath "$2"); else balance=$2; fi ;;
    *) usage ;;
  esac
  shift 2
done
[ -n "$target" ] && [ -n "$shards" ] || usage
[ -f "$run/manifest.yaml" ] || {
  echo "submit.sh: $run: no manifest.yaml there; \`opbyop split MODEL... -o $run\` writes it" >&2
  exit 3
}
here=$(cd "$(dirname "$0")" && pwd)
run=$(realpath "$run")
mkdir -p "$run/slurm"
export OPBYOP="${OPBYOP:-opbyop}" OPBYOP_SLURM_RUN="$run" OPBYOP_SLURM_TARGET="$target" OPBYOP_SLURM_SHARDS="$shards" OPBYOP_CI="$here/.."
[ -z "$balance" ] || export OPBYOP_BALANCE="$balance"
export OPBYOP_SLURM_BUNDLE=''

# Jobs of a run may start on different days.
export OPBYOP_FRESH_SEED="${OPBYOP_FRESH_SEED:-$(date -u +%Y%m%d)}"

# Passes the whole environment, because a path with a comma would end an --export list. Slurm would expand %j in a path.
submit() { sbatch --parsable --export=ALL --chdir="$run" --output="slurm/%x-%j.log" "$@"; }

behind=''
if [ -n "$cpu" ]; then
  OPBYOP_SLURM_BUNDLE="$run/bundle"
  compile=$(submit --partition="$cpu" "$here/compile.sbatch")
  behind="--dependency=afterok:${compile%;*} --kill-on-invalid-dep=yes"
fi
# shellcheck disable=SC2086  # two options or none
array=$(submit ${device:+--partition="$device"} $behind --array="1-$shards" "$here/shard.sbatch")
export OPBYOP_SLURM_ARRAY="${array%;*}"
merge=$(submit ${cpu:+--partition="$cpu"} --dependency="afterany:$OPBYOP_SLURM_ARRAY" "$here/merge.sbatch")
echo "${merge%;*}"
