#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs a command with the path of a browser added as its last argument, or skips the test (exit code 77).
#
#   with_browser.sh COMMAND ARGUMENT...
for name in chromium chromium-browser google-chrome; do
  if browser=$(command -v "$name"); then
    exec "$@" "$browser"
  fi
done
echo "skipped: no Chromium; './dev setup --tests' installs it"
exit 77
