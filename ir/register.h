// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every dialect this project reads.
//
//   mlir::DialectRegistry registry;
//   opbyop::RegisterAllDialects(registry);
//   mlir::MLIRContext context(registry);
#ifndef OPBYOP_IR_REGISTER_H_
#define OPBYOP_IR_REGISTER_H_

#include "mlir/IR/DialectRegistry.h"

namespace opbyop {

// Namespaces of the dialects that are this project's own. A context that has another producer's dialect of one of
// these names can have none of ours.
inline constexpr const char* kOwnDialects[] = {"stablehlo", "chlo", "vhlo", "check", "interpreter", "sdy"};

void RegisterAllDialects(mlir::DialectRegistry& registry);

}  // namespace opbyop

#endif  // OPBYOP_IR_REGISTER_H_
