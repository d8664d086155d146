// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which function of a program is the one that runs, where there is no @main: the only one that no other calls.
//
//   std::string name = EntryName(module, "main");   // "main", or "forward" of a module that has that alone
#ifndef OPBYOP_IR_ENTRY_FUNCTION_H_
#define OPBYOP_IR_ENTRY_FUNCTION_H_

#include <string>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"

namespace opbyop {

inline constexpr std::string_view kMainFunction = "main";

// `asked`, but where that is "main" and no module in `module` has a function of that name: the only function in
// `module` with a body that nothing in it names.
std::string EntryName(mlir::ModuleOp module, std::string_view asked);

}  // namespace opbyop

#endif  // OPBYOP_IR_ENTRY_FUNCTION_H_
