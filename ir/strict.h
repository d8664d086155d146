// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The specification by its letter. The verifiers of the ops take what producers write and compilers run although the
// specification says otherwise; a program that is there to be refused is held to the rest too.
//
//   const Expected<void> strict = VerifyStrictly(*module);   // of a module that is valid otherwise
#ifndef OPBYOP_IR_STRICT_H_
#define OPBYOP_IR_STRICT_H_

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

// kBadInput with the first op that breaks it.
Expected<void> VerifyStrictly(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_STRICT_H_
