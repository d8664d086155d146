// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks constraints of the specification that the verifiers of the ops do not check, because producers break them and
// compilers accept it. Programs that a compiler must refuse are checked against these constraints too.
//
//   const Expected<void> strict = VerifyStrictly(*module);   // the module must have passed the verifiers
#ifndef OPBYOP_IR_STRICT_H_
#define OPBYOP_IR_STRICT_H_

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

// Returns kBadInput with the first op that breaks a constraint.
Expected<void> VerifyStrictly(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_STRICT_H_
