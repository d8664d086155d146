# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs a command of ./dev, which starts this file: python3 packaging/dev/__main__.py COMMAND [ARGUMENT...]"""

import os
import sys

# The package's parent in place of the package, whose modules would hide Python's of the same name. No variable of the
# environment does it, as the programs that are started would see that too.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from dev.commands import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
