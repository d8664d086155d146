// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a StableHLO program from MLIR text (pretty or generic), MLIR bytecode, or a portable artifact of VHLO 0.9.0 to
// 1.20.0, plain or wrapped by jax.export. The content decides the kind of a file, never its name. If the path is a
// folder that torch_xla's save() wrote, its `forward` function is read.
//
//   mlir::MLIRContext context;
//   auto module = ReadModule("resnet50.mlirbc", context);
//   if (!module) return Unexpected(module.error());  // one sentence that names file, line, error and cause
//   (*module)->dump();
//
// Untrusted programs are read in a ReadingChild (support/process/reading_child.h), whose limits apply.
#ifndef OPBYOP_IR_READ_MODULE_H_
#define OPBYOP_IR_READ_MODULE_H_

#include <filesystem>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop {

struct ReadOptions {
  // If true, operations of MHLO in generic form are kept unchanged, like those of any unknown dialect. If false, they
  // are an error, because the same program can be exported as StableHLO.
  bool allow_mhlo = false;
};

// Registers dialects with `context` as needed. Operations, attributes and types of unknown dialects are kept unchanged
// if they are written in generic form; their meaning is not known. Verifies the module.
//   kNoInput      the file does not exist or cannot be read
//   kBadInput     the file is empty, not MLIR, truncated, or not a valid program
//   kUnsupported  the program is of a newer version, is MHLO, or uses the custom syntax of an unknown dialect; the
//   message
//                 says which
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadModule(const std::filesystem::path& path, mlir::MLIRContext& context,
                                                       const ReadOptions& options = {});

// The same for bytes in memory. Messages and locations call them `name`.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadModuleFromBytes(std::string_view bytes, std::string_view name,
                                                                mlir::MLIRContext& context,
                                                                const ReadOptions& options = {});

}  // namespace opbyop

#endif  // OPBYOP_IR_READ_MODULE_H_
