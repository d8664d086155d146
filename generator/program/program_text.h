// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a program as text that every compiler can read, whatever version of MLIR it uses.
//
//   std::string text = ProgramText(module, Locations::kDrop);
//
// The text is the pretty form, or the generic one if MLIR's parser would not read the pretty form back. Elements
// narrower than a byte (above all i1) are written out, never in hexadecimal: producers disagree on their packing.
// Resources become plain constants. Nothing of a portable artifact's version or dialect remains.
#ifndef OPBYOP_GENERATOR_PROGRAM_PROGRAM_TEXT_H_
#define OPBYOP_GENERATOR_PROGRAM_PROGRAM_TEXT_H_

#include <filesystem>
#include <optional>
#include <string>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::generator {

enum class Locations { kDrop, kKeep };

// Resource blobs of `module` become constants in it.
void PrintProgram(mlir::ModuleOp module, Locations locations, llvm::raw_ostream& out);
std::string ProgramText(mlir::ModuleOp module, Locations locations);

// Reads a model's file and prints it in this form, with its locations, for a compiler that takes whole models. Returns
// nullopt if the file is in that form already, so that locations that refer to the file stay valid. Operations of
// unknown dialects are left for the compiler to judge.
Expected<std::optional<std::string>> ReadProgramText(const std::filesystem::path& file);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_PROGRAM_TEXT_H_
