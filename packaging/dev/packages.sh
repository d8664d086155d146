#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs Debian packages. It is in bash because it must run without Python. `dev` and packages.py call it:
#
#   packages.sh install [PACKAGE...]    # what the build needs, and PACKAGE...
#   packages.sh add PACKAGE...          # PACKAGE... alone
#   packages.sh check                   # exits with 3 and says what is missing; installs nothing
#   packages.sh list                    # what the build needs
set -euo pipefail

readonly LLVM=22

# Debian packages that the build and the tests need, of Debian 12 and 13; nothing else is installed system-wide.
readonly PACKAGES=(
  "libmlir-$LLVM-dev" "mlir-$LLVM-tools" "llvm-$LLVM-dev" "llvm-$LLVM-tools"
  "clang-$LLVM" "clang-format-$LLVM" "clang-tidy-$LLVM" "lld-$LLVM" "libclang-rt-$LLVM-dev"
  cmake ninja-build ccache git ca-certificates
  libyaml-cpp-dev nlohmann-json3-dev libsimdjson-dev rapidjson-dev libgtest-dev libgmock-dev libexpected-dev libcli11-dev
  libfmt-dev libprotozero-dev
  libflatbuffers-dev flatbuffers-compiler libssl-dev libpugixml-dev libre2-dev libsqlite3-dev libpq-dev
  zlib1g-dev libxml2-dev libzstd-dev libopenblas0-serial
  python3 python3-venv python3-yaml python3-jsonschema
)

# Fedora's names of what it has, by its package search; the build was not tried there.
readonly FEDORA=(
  mlir-devel llvm-devel clang clang-tools-extra lld compiler-rt cmake ninja-build ccache git ca-certificates
  yaml-cpp-devel json-devel simdjson-devel rapidjson-devel gtest-devel gmock-devel expected-devel cli11-devel fmt-devel protozero-devel
  flatbuffers-devel flatbuffers-compiler openssl-devel pugixml-devel re2-devel sqlite-devel libpq-devel zlib-devel libxml2-devel
  libzstd-devel openblas-serial python3 python3-pyyaml python3-jsonschema nodejs-npm
)

# Exits with 2 (docs/exit-codes.md), or with $code if that is set.
die() {
  printf '%s\n' "$*" >&2
  exit "${code:-2}"
}

# Prints those of the Debian packages that are not installed, one a line.
absent_packages() { # PACKAGE...
  dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' 2>/dev/null |
    sed -n 's/:[^ ]*//; s/ installed$//p' | sort -u |
    comm -13 - <(printf '%s\n' "$@" | sort -u)
}

# Runs apt-get as root. Its exit codes, such as 100, are not in docs/exit-codes.md: they become 1.
apt_get() { # ARGUMENT...
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get "$@" || exit 1
}

need_root() { # PACKAGE...
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    code=3 die "installing packages needs root: run './dev setup' once as root, or install: $*"
}

add() { # PACKAGE...
  need_root "$@"
  apt_get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Installs the packages that are missing. Touches neither apt nor the network if there are none.
install() { # PACKAGE...
  local wanted=("${PACKAGES[@]}" "$@") missing=()
  need_debian
  command -v npm >/dev/null || wanted+=(nodejs npm)
  mapfile -t missing < <(absent_packages "${wanted[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  printf '\033[1m==> installing %s Debian packages: %s\033[0m\n' ${#missing[@]} "${missing[*]}"
  need_root "${missing[@]}"
  apt_get update -qq
  apt-cache show "libmlir-$LLVM-dev" >/dev/null 2>&1 ||
    code=3 die "no package libmlir-$LLVM-dev: Debian 13 has it in its main archive, Debian 12 in bookworm-security alone, which must be among
the sources of apt; for Ubuntu LLVM's own archive has it, https://apt.llvm.org (not tried)"
  add "${missing[@]}"
}

check() {
  local missing
  need_debian
  mapfile -t missing < <(absent_packages "${PACKAGES[@]}")
  [ ${#missing[@]} -eq 0 ] ||
    code=3 die "not installed: ${#missing[@]} Debian packages that the build needs: ${missing[*]}
install: ./dev setup"
}

list() { printf '%s\n' "${PACKAGES[@]}"; }

# Prints a key of /etc/os-release, or of the file that OPBYOP_OS_RELEASE names.
os_release() { # KEY
  sed -n "s/^$1=//p" "${OPBYOP_OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d '"' || true
}

# Ends on a system without Debian's packages, and says what to do there.
need_debian() {
  local system names
  ! command -v dpkg-query >/dev/null || return 0
  system=$(os_release PRETTY_NAME)
  names="Debian's names: ${PACKAGES[*]}"
  case " $(os_release ID) $(os_release ID_LIKE) " in
    *" fedora "*) names="Fedora's names (not tried; LLVM must be $LLVM): dnf install ${FEDORA[*]}" ;;
  esac
  code=3 die "./dev builds on Debian and Ubuntu alone, and this is ${system:-no system with /etc/os-release}. The wheel and the container run
elsewhere too: docs/installing.md
what the build needs, by $names"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  case "${1:-}" in
    install | add | check | list) "$@" ;;
    *) die "packages.sh install, add, check or list" ;;
  esac
fi
