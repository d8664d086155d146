// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a StableHLO program from whatever file it comes in: MLIR text (pretty or generic), MLIR bytecode, or a
// portable artifact of VHLO 0.9.0 to 1.20.0, alone or wrapped by jax.export. What it is, is told by content, never by
// the file's name. A folder that torch_xla's save() wrote stands for its `forward` function.
//
//   mlir::MLIRContext context;
//   auto module = ReadModule("resnet50.mlirbc", context);
//   if (!module) return Unexpected(module.error());  // one sentence: file, line, what and why
//   (*module)->dump();
//
// In a ReadingChild (support/process/reading_child.h), which is where strangers' programs are read, its limits hold
// meanwhile.
#ifndef OPBYOP_IR_READ_MODULE_H_
#define OPBYOP_IR_READ_MODULE_H_

#include <filesystem>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop {

struct ReadOptions {
  // Operations of MHLO in generic form are kept as they are, like those of any dialect that is not known. Otherwise
  // they are an error: StableHLO of the same program can be had.
  bool allow_mhlo = false;
};

// Dialects are registered with `context` as needed. Operations, attributes and types of dialects that are not known are
// kept as they are, where they are written in generic form; what they mean nobody here knows. The module is verified.
//   kNoInput      no such file, or not readable
//   kBadInput     empty, not MLIR, truncated, or not a valid program
//   kUnsupported  of a newer version, an MHLO program, or in a dialect's own syntax that is not known: the message says
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadModule(const std::filesystem::path& path, mlir::MLIRContext& context,
                                                       const ReadOptions& options = {});

// The same for bytes at hand; `name` is what messages and locations call them.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadModuleFromBytes(std::string_view bytes, std::string_view name,
                                                                mlir::MLIRContext& context,
                                                                const ReadOptions& options = {});

}  // namespace opbyop

#endif  // OPBYOP_IR_READ_MODULE_H_
