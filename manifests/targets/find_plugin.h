// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The PJRT plugin of a target file.
//
//   Expected<fs::path> file = FindPlugin(target);   // "{venvs}/.venv-pjrt/lib/python3*/.../xla_cpu_pjrt.so"
#ifndef OPBYOP_MANIFESTS_TARGETS_FIND_PLUGIN_H_
#define OPBYOP_MANIFESTS_TARGETS_FIND_PLUGIN_H_

#include <filesystem>

#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop {

// {root}, {venvs} and {env:NAME} filled in; of several files that a pattern matches the last by name. kNoInput, with
// how to install it, where there is none.
Expected<std::filesystem::path> FindPlugin(const Target& target);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_FIND_PLUGIN_H_
