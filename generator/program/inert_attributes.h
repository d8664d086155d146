// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes that do not define an op: a frontend's notes about placement, layout, sharding and debugging. They are
// neither hashed nor written into a case, so ops that differ only in them are one case.
//
//   IsInert("mhlo.sharding")      // true
//   IsInert("mhlo.attributes")    // false: the result of a custom call depends on it
//
// All other discardable attributes are kept. docs/design/cases.md lists the inert ones.
#ifndef OPBYOP_GENERATOR_PROGRAM_INERT_ATTRIBUTES_H_
#define OPBYOP_GENERATOR_PROGRAM_INERT_ATTRIBUTES_H_

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

bool IsInert(llvm::StringRef attribute_name);

// Removes inert attributes from `op`, from everything inside it, and from function arguments.
void StripInert(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_INERT_ATTRIBUTES_H_
