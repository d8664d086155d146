# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

# A part of ./dev: what is installed system-wide.

# Debian packages that the build and the tests need, of Debian 12 and 13; nothing else is installed system-wide.
readonly PACKAGES=(
  "libmlir-$LLVM-dev" "mlir-$LLVM-tools" "llvm-$LLVM-dev" "llvm-$LLVM-tools"
  "clang-$LLVM" "clang-format-$LLVM" "clang-tidy-$LLVM" "lld-$LLVM" "libclang-rt-$LLVM-dev"
  cmake ninja-build ccache git ca-certificates
  libyaml-cpp-dev nlohmann-json3-dev libsimdjson-dev rapidjson-dev libgtest-dev libgmock-dev libexpected-dev libcli11-dev
  libfmt-dev libprotozero-dev
  libflatbuffers-dev flatbuffers-compiler libssl-dev libpugixml-dev libre2-dev libsqlite3-dev libpq-dev
  zlib1g-dev libxml2-dev libzstd-dev
  python3 python3-venv python3-yaml python3-jsonschema
)

# Some tests need these too, and are skipped without them.
readonly TEST_PACKAGES=(chromium python3-pytest)

# Fedora's names of what it has, by its package search; the build was not tried there.
readonly FEDORA=(
  mlir-devel llvm-devel clang clang-tools-extra lld compiler-rt cmake ninja-build ccache git ca-certificates
  yaml-cpp-devel json-devel simdjson-devel rapidjson-devel gtest-devel gmock-devel expected-devel cli11-devel fmt-devel protozero-devel
  flatbuffers-devel flatbuffers-compiler openssl-devel pugixml-devel re2-devel sqlite-devel libpq-devel zlib-devel libxml2-devel
  libzstd-devel python3 python3-pyyaml python3-jsonschema nodejs-npm
)

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    code=3 die "installing packages needs root: run './dev setup' once as root, or install: ${missing[*]}"
  fi
}

# Those of the Debian packages that are not installed, a line for each.
absent_packages() { # PACKAGE...
  dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' 2>/dev/null |
    sed -n 's/:[^ ]*//; s/ installed$//p' | sort -u |
    comm -13 - <(printf '%s\n' "$@" | sort -u)
}

# Installs the packages that are missing. Touches neither apt nor the network if there are none.
install() { # PACKAGE...
  local wanted=("${PACKAGES[@]}" "$@") missing=()
  command -v dpkg-query >/dev/null || code=3 die "$(foreign)"
  command -v npm >/dev/null || wanted+=(nodejs npm)
  mapfile -t missing < <(absent_packages "${wanted[@]}")
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update -qq
  if ! apt-cache show "libmlir-$LLVM-dev" >/dev/null 2>&1; then
    code=3 die "no package libmlir-$LLVM-dev: Debian 13 has it in its main archive, Debian 12 in bookworm-security alone, which must be among
the sources of apt; for Ubuntu LLVM's own archive has it, https://apt.llvm.org (not tried)"
  fi
  as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# A key of /etc/os-release, or of the file that OPBYOP_OS_RELEASE names.
os_release() { # KEY
  sed -n "s/^$1=//p" "${OPBYOP_OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d '"'
}

# What to do on a system without Debian's packages.
foreign() {
  local system
  system=$(os_release PRETTY_NAME)
  echo "./dev builds on Debian and Ubuntu alone, and this is ${system:-no system with /etc/os-release}. The wheel and the container run
elsewhere too: docs/installing.md"
  case " $(os_release ID) $(os_release ID_LIKE) " in
    *" fedora "*) echo "what the build needs, by Fedora's names (not tried; LLVM must be $LLVM): dnf install ${FEDORA[*]}" ;;
    *) echo "what the build needs, by Debian's names: ${PACKAGES[*]}" ;;
  esac
}

# The versions that this system has of what the build needs.
installed_versions() {
  dpkg-query -W -f='${Package} ${Version} ${db:Status-Status}\n' "${PACKAGES[@]}" 2>/dev/null | sed -n 's/ installed$//p' | LC_ALL=C sort -u
}
lock_file() { echo "packaging/release/$(os_release ID)-$(os_release VERSION_CODENAME).lock"; }

# ./dev setup --lock: of the system that all tests have just passed on.
lock() {
  install
  installed_versions >"$(lock_file)"
  say "wrote $(lock_file)"
}

# Says which packages are not the versions that were tested: a hint, no fault.
other_versions() {
  local file others
  file=$(lock_file)
  if [ ! -f "$file" ]; then
    echo "the build was not tested on $(os_release PRETTY_NAME)"
    return
  fi
  others=$(LC_ALL=C comm -13 "$file" <(installed_versions) | paste -sd, | sed 's/,/, /g')
  [ -z "$others" ] || echo "other versions than those of $file, which were tested: $others"
}
