// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// IR that another compiler printed in generic form, made such that it can be walked, hashed and written like a program.
//
//   mlir::OwningOpRef<mlir::ModuleOp> module = ...;   // read with ReadOptions{.allow_mhlo = true}
//   MakeWalkable(*module);                            // "util.func"() <{sym_name = "main", ...}> is func.func @main
//   now
//
// Rewrites ops of dialects that nobody registers here:
//  - properties become attributes: generic form reads both, and only attributes are seen by what looks at any op;
//  - functions, their returns and calls (util.func, util.return, util.call, ...) become those of dialect func.
#ifndef OPBYOP_IR_FOREIGN_PROGRAM_H_
#define OPBYOP_IR_FOREIGN_PROGRAM_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop {

void MakeWalkable(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_FOREIGN_PROGRAM_H_
