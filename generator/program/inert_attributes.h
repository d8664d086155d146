// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes that do not define an op: notes of a frontend about placement, layout, sharding and debugging.
// They are neither hashed nor written into a case, so that ops that differ in nothing else are one case.
//
//   IsInert("mhlo.sharding")      // true
//   IsInert("mhlo.attributes")    // false: what a custom call computes depends on it
//
// All other discardable attributes stay. The list is documented in docs/design/cases.md.
#ifndef OPBYOP_GENERATOR_PROGRAM_INERT_ATTRIBUTES_H_
#define OPBYOP_GENERATOR_PROGRAM_INERT_ATTRIBUTES_H_

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

bool IsInert(llvm::StringRef attribute_name);

// Removes inert attributes from `op` and everything inside, function arguments included.
void StripInert(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_INERT_ATTRIBUTES_H_
