// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Identifies a build of a program.
//
//   ProgramIdentity("build/bin/opbyop-worker");   // "build id c77136d09541be6e573af919172c7d5c2e2eb8ce"
#ifndef OPBYOP_SUPPORT_FILES_PROGRAM_IDENTITY_H_
#define OPBYOP_SUPPORT_FILES_PROGRAM_IDENTITY_H_

#include <filesystem>
#include <string>

namespace opbyop {

// Returns the linker's build id if the file has one: it changes when the code does, and reading it takes microseconds.
// Otherwise returns "sha256 ..." of the bytes or, if the file is too large for that, "size ... written ...". Empty if
// there is no such file. The identities of kSharedLibraries that lie in the file's folder follow: a program's code may be
// there.
std::string ProgramIdentity(const std::filesystem::path& file);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_PROGRAM_IDENTITY_H_
