// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where this project's programs and data lie, as the running program finds them.
//
//   fs::path worker = ProgramFolder() / "opbyop-worker";
//   fs::path page = ProjectFolder() / "docs/numerics.md";
#ifndef OPBYOP_SUPPORT_PROJECT_FOLDER_H_
#define OPBYOP_SUPPORT_PROJECT_FOLDER_H_

#include <filesystem>

namespace opbyop {

// Where the running program lies.
std::filesystem::path ProgramFolder();

// The root of the project: where device/ and manifests/ lie. $OPBYOP_SOURCE_DIR, else two folders above the program.
std::filesystem::path ProjectFolder();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROJECT_FOLDER_H_
