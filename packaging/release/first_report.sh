# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# From nothing to a bug report, on a bare Debian: docs/first-report.md shows the output. The wheel and gem.py, the model
# of that page, are in the same folder.
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3-venv >apt.log 2>&1
python3 -m venv env
export PATH="$PWD/env/bin:$HOME/.cache/opbyop/.venv-iree/bin:$PATH"
pip install --quiet opbyop-*.whl jax==0.10.2
opbyop setup --target iree
python gem.py
opbyop reduce gem__power_7x7x16_f32_97017866 --run run --target iree -o smallest
opbyop bundle gem__power_7x7x16_f32_97017866 --run run --target iree -o finding
sh finding/reproduce.sh
