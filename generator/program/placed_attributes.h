// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Adds attributes of a vendor's dialect (generator/program/foreign_attributes.h) to a program again.
//
//   bool placed = PlaceAttribute(module, main, {"argument 0", "ttcore.argument_type", "#ttcore.argument_type<input>"});
#ifndef OPBYOP_GENERATOR_PROGRAM_PLACED_ATTRIBUTES_H_
#define OPBYOP_GENERATOR_PROGRAM_PLACED_ATTRIBUTES_H_

#include "manifests/cases/case.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {

// Sets the attribute in its place: on `module`, on `function`, on an argument or result of it, or on the op under test,
// which comes just before the terminator. Returns false if the value is no attribute, or if there is no such place.
bool PlaceAttribute(mlir::ModuleOp module, mlir::FunctionOpInterface function, const PlacedAttribute& attribute);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_PLACED_ATTRIBUTES_H_
