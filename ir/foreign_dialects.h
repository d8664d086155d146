// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers MLIR's own dialects, for IR that a compiler's stage produced. Programs of frameworks do not need them.
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

// Registers MLIR's own dialects.
void AllowForeignDialects(mlir::MLIRContext& context);

// Does the same, and also allows ops of unregistered dialects in generic form.
void AllowAnyDialect(mlir::MLIRContext& context);

}  // namespace opbyop

#endif  // OPBYOP_IR_FOREIGN_DIALECTS_H_
