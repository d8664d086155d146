# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

# A part of ./dev: ./dev format and ./dev lint.

sources() { git ls-files '*.h' '*.c' '*.cc'; }

format() {
  venv lint validation/repository/requirements-lint.txt
  sources | xargs "clang-format-$LLVM" -i
  .venv-lint/bin/ruff format
}

lint_cpp() {
  say "checking the form of C++"
  sources | xargs "clang-format-$LLVM" --dry-run --Werror
}

lint_python() {
  say "checking the form of Python"
  venv lint validation/repository/requirements-lint.txt
  .venv-lint/bin/ruff check
  .venv-lint/bin/ruff format --check
  # What `py.typed` promises to users of the API.
  .venv-lint/bin/mypy --strict --ignore-missing-imports --allow-untyped-decorators packaging/python/opbyop
}

# Type errors and eslint's, in the build's copy beside node_modules, which bundling renews.
lint_web() {
  say "checking the types of TypeScript"
  build --quiet reports/web/npm/dist/main.js
  npm --prefix "$BUILD/reports/web/npm" run --silent check
}

# What people write, of any language that has comments.
readonly COMMENTED=('*.h' '*.c' '*.cc' '*.td' '*.fbs' '*.py' '*.ts' '*.tsx' '*.mjs' '*.sh' '*.cmake' '*CMakeLists.txt' dev .ci/run)

# Every source begins with its license, behind `#!` where it has one.
lint_license() {
  say "checking license lines"
  local missing
  missing=$(git ls-files "${COMMENTED[@]}" |
    xargs awk -v line="SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" '
      FNR == 1 { first = $0 }
      FNR == 1 && !/^#!/ && !index($0, line) || FNR == 2 && first ~ /^#!/ && !index($0, line) { print FILENAME }')
  [ -z "$missing" ] || code=1 die "no line 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' at the beginning of:
$missing"
}

# Comments that have to be read twice: the patterns of validation/repository/comments.txt.
lint_words() {
  say "checking the words of comments"
  local pattern advice found status refused=""
  while IFS=$'\t' read -r pattern advice; do
    [[ $pattern && $pattern != "# "* ]] || continue
    status=0
    found=$(git grep -nE -e "$pattern" -- "${COMMENTED[@]}" '*.mlir') || status=$?
    case $status in
      0) refused+="$advice:"$'\n'"$found"$'\n' ;;
      1) ;;  # not found
      *) code=1 die "validation/repository/comments.txt: '$pattern' is no pattern that git grep takes" ;;
    esac
  done <validation/repository/comments.txt
  [ -z "$refused" ] || code=1 die "${refused%$'\n'}"
}

# clang-tidy on the lines that changed since COMMIT in at most COUNT files, or on all files.
tidy() { # [COMMIT [COUNT]]
  build
  if [ -z "${1:-}" ]; then
    say "running clang-tidy"
    git ls-files '*.cc' | xargs -P "$(nproc)" -n 4 "clang-tidy-$LLVM" -p "$BUILD" --quiet
    return
  fi
  local changed=() count
  mapfile -t changed < <(git diff --name-only --diff-filter=d "$1" -- '*.cc')
  count=${2:-${#changed[@]}}
  say "running clang-tidy on what changed since $1: ${#changed[@]} files${2:+, at most $2 of them}"
  [ ${#changed[@]} -gt 0 ] || return 0
  git diff -U0 --no-color "$1" -- "${changed[@]:0:count}" |
    "clang-tidy-diff-$LLVM.py" -clang-tidy-binary "clang-tidy-$LLVM" -p1 -path "$BUILD" -j "$(nproc)" -quiet -only-check-in-db
  [ "$count" -ge ${#changed[@]} ] || say "not checked: $((${#changed[@]} - count)) files; run ./dev lint --tidy $1"
}

# ./dev lint [license|words|cpp|python|web]... [--tidy [COMMIT [--at-most COUNT]]]
lint() {
  local parts=() part
  while [ $# -gt 0 ] && [ "$1" != --tidy ]; do
    case "$1" in
      license | words | cpp | python | web) parts+=("$1"); shift ;;
      -*) die "unknown option $1: try './dev help lint'" ;;
      *) die "unknown part $1: license, words, cpp, python or web" ;;
    esac
  done
  install
  [ ${#parts[@]} -gt 0 ] || parts=(license words cpp python web)
  for part in "${parts[@]}"; do "lint_$part"; done
  case "$#:${3:-}" in
    0:) ;;
    1: | 2:) tidy "${2:-}" ;;
    4:--at-most) tidy "$2" "$4" ;;
    *) die "--tidy takes a commit and --at-most COUNT: try './dev help lint'" ;;
  esac
}
