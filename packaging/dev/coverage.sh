# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

# A part of ./dev: which lines the tests run.

# ./dev coverage [--without-mlir] [ctest options]: a failed test is said at the end, and the figures are made all the same.
coverage() {
  local group=sanitized out=out/coverage status=0 programs=()
  if [ "${1:-}" = --without-mlir ]; then
    group=sanitized_without_mlir
    shift
  fi
  SANITIZE=coverage
  BUILD=build-coverage
  build "$group"
  rm -rf "$BUILD/profiles" "$out"
  mkdir -p "$out"
  say "testing, with counters"
  run_ctest "" -L "^$group\$" "$@" || status=$?
  say "counting lines"
  "llvm-profdata-$LLVM" merge --sparse "$BUILD"/profiles/*.profraw -o "$BUILD/tests.profdata"
  mapfile -t programs < <(grep --recursive --files-with-matches --binary-files=text __llvm_covmap "$BUILD/bin" | sort)
  "llvm-cov-$LLVM" export --summary-only --instr-profile="$BUILD/tests.profdata" "${programs[@]/#/--object=}" >"$out/coverage.json"
  python3 -m validation.repository.coverage "$out/coverage.json" | tee "$out/summary.md"
  return $status
}
