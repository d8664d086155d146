// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds a program of a build tree when it is first called, so that a checkout builds only the verbs that are used.
//
//   Expected<void> built = BuildIfNeeded(ProgramFolder() / "opbyop-reduce");   // ninja's progress on stderr
#ifndef OPBYOP_COMMANDS_BUILD_TREE_H_
#define OPBYOP_COMMANDS_BUILD_TREE_H_

#include <filesystem>

#include "support/expected.h"

namespace opbyop::commands {

// Builds the program if it lies in the programs' folder of a build tree and is absent, or older than the shared
// libraries that it is linked with. Does nothing anywhere else, as in an installation. Waits for another process that
// builds a program of this tree. Returns kNoInput if it cannot be built.
Expected<void> BuildIfNeeded(const std::filesystem::path& program);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_BUILD_TREE_H_
