// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The file that a program is in, however the user named it.
//
//   ProgramFile("model.mlir")   // itself
//   ProgramFile("saved")        // "saved/functions/forward.bytecode", of a folder that torch_xla's save() wrote
//   ProgramFile("-")            // "/dev/stdin"
#ifndef OPBYOP_IR_PROGRAM_FILE_H_
#define OPBYOP_IR_PROGRAM_FILE_H_

#include <filesystem>

#include "support/expected.h"

namespace opbyop {

// An error where `named` is a folder of another kind, or one of several functions none of which is called forward.
Expected<std::filesystem::path> ProgramFile(const std::filesystem::path& named);

}  // namespace opbyop

#endif  // OPBYOP_IR_PROGRAM_FILE_H_
