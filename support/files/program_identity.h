// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tells one build of a program from another.
//
//   ProgramIdentity("build/bin/opbyop-worker");   // "build id c77136d09541be6e573af919172c7d5c2e2eb8ce"
#ifndef OPBYOP_SUPPORT_FILES_PROGRAM_IDENTITY_H_
#define OPBYOP_SUPPORT_FILES_PROGRAM_IDENTITY_H_

#include <filesystem>
#include <string>

namespace opbyop {

// The linker's build id where the file has one: it changes when the code does, and reading it costs microseconds. Else
// "sha256 ..." of the bytes, of a file too large for that "size ... written ...". Empty where there is no such file.
std::string ProgramIdentity(const std::filesystem::path& file);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_PROGRAM_IDENTITY_H_
