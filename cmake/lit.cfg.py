# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The configuration that all lit suites share; cmake/lit.cmake writes the site files that load it.
import os

import lit.formats

config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.environment["PATH"] = os.pathsep.join([*config.tool_folders, config.environment["PATH"]])
