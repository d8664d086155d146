// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the function of a program that is to be run. Without @main it is the only function that no other function
// calls.
//
//   std::string name = EntryName(module, "main");   // "main", or "forward" if the module has only that function
//   Expected<mlir::ModuleOp> inner = FindEntryModule(module, name);
#ifndef OPBYOP_IR_ENTRY_FUNCTION_H_
#define OPBYOP_IR_ENTRY_FUNCTION_H_

#include <string>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kMainFunction = "main";

// Returns `asked`. But if that is "main" and no module in `module` has a function of that name, returns the only
// function with a body that nothing refers to; of several the only public one. Functions in nested modules count if
// `module` itself has none.
std::string EntryName(mlir::ModuleOp module, std::string_view asked);

// Returns the module that contains `entry`: `module` itself, or the only nested module that has it.
Expected<mlir::ModuleOp> FindEntryModule(mlir::ModuleOp module, std::string_view entry);

// Says that `module` has no function `asked`, which ones it and its nested modules have, and how one of them is named.
Error NoEntry(mlir::ModuleOp module, std::string_view asked);

}  // namespace opbyop

#endif  // OPBYOP_IR_ENTRY_FUNCTION_H_
