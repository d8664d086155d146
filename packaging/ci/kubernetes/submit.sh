#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Starts a run on a Kubernetes cluster: an Indexed Job of shards, and a Job after it that merges them and writes the
# reports.
#
#   packaging/ci/kubernetes/submit.sh RUN --image I --claim C --models M --target T --shards N [--baseline B] [--seed S]
#
# RUN is the name of the Jobs and of the run's folder on the volume of claim C, which all nodes must be able to write
# (ReadWriteMany). I is an image with opbyop, such as the Dockerfile's. M and B are paths on the volume. Results and
# reports are in RUN/out there. The line `limits` of shards.yaml requests the device.
#
# Waits for both Jobs. Exits with 0 if the run is green, and with 1 if it is red or a Job could not end. `kubectl` uses
# its current context.
set -eu
usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}
[ $# -ge 1 ] || usage
run=$1 image='' claim='' models='' target='' shards='' baseline=none seed=$(date -u +%Y%m%d)
shift
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --image) image=$2 ;;
    --claim) claim=$2 ;;
    --models) models=$2 ;;
    --target) target=$2 ;;
    --shards) shards=$2 ;;
    --baseline) baseline=$2 ;;
    --seed) seed=$2 ;;
    *) usage ;;
  esac
  shift 2
done
[ -n "$image" ] && [ -n "$claim" ] && [ -n "$models" ] && [ -n "$target" ] && [ -n "$shards" ] || usage
# These values become part of YAML, and of a command of sed.
case "$run$image$claim$models$target$shards$baseline$seed" in
  *[!A-Za-z0-9._/:@-]*)
    echo "submit.sh: values have letters, digits and . _ / : @ - only" >&2
    exit 2
    ;;
esac
case $shards in 0*) usage ;; esac
case $shards$seed in *[!0-9]*) usage ;; esac
here=$(cd "$(dirname "$0")" && pwd)

job() { # FILE: creates the Job and waits until it ended
  sed -e "s|{run}|$run|; s|{image}|$image|; s|{claim}|$claim|; s|{models}|$models|; s|{target}|$target|; s|{shards}|$shards|" \
    -e "s|{baseline}|$baseline|; s|{seed}|$seed|" "$here/$1" | kubectl create -f - >&2 || exit 1
  while :; do
    ended=$(kubectl get "job/$2" -o "jsonpath={.status.conditions[?(@.status=='True')].type}") || exit 1
    case " $ended " in
      *" Complete "*) return 0 ;;
      *" Failed "*) return 1 ;;
    esac
    sleep "${OPBYOP_POLL_S:-10}"
  done
}
job shards.yaml "$run-shards" || echo "submit.sh: not every shard ended; their rows will be missing: kubectl logs -l job-name=$run-shards" >&2
job report.yaml "$run-report" && code=0 || code=1
kubectl logs "job/$run-report"
exit $code
