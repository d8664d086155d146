// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dialects of MLIR itself, for IR that a compiler's stage produced. No program of a framework needs them.
//
//   mlir::MLIRContext context;
//   opbyop::AllowAnyDialect(context);
//   auto module = ReadModule("2_linalg-to-llvm.mlir", context);   // linalg, tosa, scf, memref, llvm, ...
#ifndef OPBYOP_IR_FOREIGN_DIALECTS_H_
#define OPBYOP_IR_FOREIGN_DIALECTS_H_

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {

void RegisterForeignDialects(mlir::DialectRegistry& registry);

// All of these.
void AllowForeignDialects(mlir::MLIRContext& context);

// These, and in generic form the ops of every dialect that nobody registers.
void AllowAnyDialect(mlir::MLIRContext& context);

}  // namespace opbyop

#endif  // OPBYOP_IR_FOREIGN_DIALECTS_H_
