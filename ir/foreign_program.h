// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Changes IR that another compiler printed in generic form, so that it can be walked, hashed and written like a
// program.
//
//   mlir::OwningOpRef<mlir::ModuleOp> module = ...;   // read with ReadOptions{.allow_mhlo = true}
//   MakeWalkable(*module);                            // "util.func"() <{sym_name = "main", ...}> becomes func.func
//   @main
//
// Rewrites ops of dialects that are not registered:
//  - properties become attributes: code that handles ops of any dialect sees only attributes;
//  - functions, their returns and calls (util.func, util.return, util.call, ...) become those of dialect func.
#ifndef OPBYOP_IR_FOREIGN_PROGRAM_H_
#define OPBYOP_IR_FOREIGN_PROGRAM_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop {

void MakeWalkable(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_FOREIGN_PROGRAM_H_
