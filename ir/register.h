// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers every dialect that this project reads.
//
//   mlir::DialectRegistry registry;
//   opbyop::RegisterAllDialects(registry);
//   mlir::MLIRContext context(registry);
#ifndef OPBYOP_IR_REGISTER_H_
#define OPBYOP_IR_REGISTER_H_

#include "mlir/IR/DialectRegistry.h"

namespace opbyop {

// Namespaces of the dialects that this project defines. If a context already has another implementation of one of them,
// none of ours can be registered with it.
inline constexpr const char* kOwnDialects[] = {"stablehlo", "chlo", "vhlo", "check", "interpreter", "sdy"};

void RegisterAllDialects(mlir::DialectRegistry& registry);

}  // namespace opbyop

#endif  // OPBYOP_IR_REGISTER_H_
