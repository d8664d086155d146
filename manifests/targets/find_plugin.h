// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the PJRT plugin of a target file.
//
//   Expected<fs::path> file = FindPlugin(target);   // "{venvs}/.venv-pjrt/lib/python3*/.../xla_cpu_pjrt.so"
#ifndef OPBYOP_MANIFESTS_TARGETS_FIND_PLUGIN_H_
#define OPBYOP_MANIFESTS_TARGETS_FIND_PLUGIN_H_

#include <filesystem>

#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop {

// Fills in {root}, {venvs} and {env:NAME}. If several files match a pattern, returns the last by name. kNoInput, with
// how to install it, if there is none.
Expected<std::filesystem::path> FindPlugin(const Target& target);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_FIND_PLUGIN_H_
