#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Starts a Python target worker in the environment that its packages are installed in.
#
#   start.sh TARGET[:PROGRAM] [VERB:]MODULE[,[VERB:]MODULE...] ARGUMENT...
#
# Runs device/TARGET/PROGRAM.py, by default worker.py, with the first of $OPBYOP_PYTHON, .venv-TARGET and python3 that
# can import every MODULE. .venv-TARGET is in the checkout or, if this is installed, in the user's cache, as
# VenvsFolder() defines. Exits with 127 if none can. A worker that is started for one verb alone ($OPBYOP_ONLY) needs no
# module that is marked for another verb: `compile:iree.compiler`.
target=${1%%:*}
program=worker
case $1 in *:*) program=${1#*:} ;; esac
modules=$(echo "$2" | tr , '\n' | grep -v ":" | tr '\n' ,)
for verb in compile execute; do
  [ "${OPBYOP_ONLY:-$verb}" = "$verb" ] || continue
  modules=$modules$(echo "$2" | tr , '\n' | sed -n "s/^$verb://p" | tr '\n' ,)
done
modules=${modules%,}
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
venvs=$root
setup="./dev setup"
if [ ! -x "$root/dev" ]; then
  venvs=${XDG_CACHE_HOME:-$HOME/.cache}/opbyop
  setup="opbyop setup"
  export PYTHONDONTWRITEBYTECODE=1  # an installation is read-only
fi
for python in "${OPBYOP_PYTHON:-}" "$venvs/.venv-$target/bin/python" python3; do
  [ -n "$python" ] && command -v "$python" >/dev/null 2>&1 || continue
  "$python" -c "import importlib.util as u; assert all(map(u.find_spec, '$modules'.split(',')))" 2>/dev/null || continue
  PYTHONPATH="$root/device/python${PYTHONPATH:+:$PYTHONPATH}" exec "$python" -u "$root/device/$target/$program.py" "$@"
done
install="name one in OPBYOP_PYTHON"
if [ -f "$root/device/$target/requirements.txt" ]; then
  install="'$setup --target $target' installs it into .venv-$target, or $install"
else
  install="activate the environment that it belongs to, or $install"
fi
case $modules in *,*) modules="modules $modules" ;; *) modules="module $modules" ;; esac
echo "no Python with the $modules: $install" >&2
exit 127
