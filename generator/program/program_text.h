// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program as text that every compiler reads, of whatever version its MLIR is.
//
//   std::string text = ProgramText(module, Locations::kDrop);
//
// The text is the pretty form; where MLIR's parser would not read that back, the generic one. Elements of less
// than a byte (i1 above all) are spelled out, never hexadecimal: producers disagree on how they are packed. Resources
// are plain constants. Neither a version nor a dialect of a portable artifact is left.
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

// Blobs of `module` become part of it.
void PrintProgram(mlir::ModuleOp module, Locations locations, llvm::raw_ostream& out);
std::string ProgramText(mlir::ModuleOp module, Locations locations);

// A model's file in this form, with its locations, for a compiler that is handed whole models. nullopt: it is in that
// form already, so that locations that are places in the file stay so. Operations of unknown dialects are the
// compiler's affair.
Expected<std::optional<std::string>> ReadProgramText(const std::filesystem::path& file);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_PROGRAM_TEXT_H_
