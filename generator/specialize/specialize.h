// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program of dynamic shapes, made for the shapes that the user asks for.
//
//   Expected<ShapeArgument> shape = ParseShapeArgument("x=4x8xf32");    // or "0=4x8", "x=?x8"
//   Expected<void> done = SpecializeShapes(module, "main", {*shape});
//
// The types of @main's arguments are refined, and from there every result that follows from them: through calls (a
// function is copied for each set of types that it is called with), while, if, case and composites, and through the
// integer arithmetic that computes shapes. Ops of the dynamic family whose shapes have become known are replaced by
// their static counterparts; sizes of dimensions become constants. What cannot be derived stays dynamic.
#ifndef OPBYOP_GENERATOR_SPECIALIZE_SPECIALIZE_H_
#define OPBYOP_GENERATOR_SPECIALIZE_SPECIALIZE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ShapeArgument {
  std::string name;            // of the argument: its index, its name in the location or in jax.arg_info
  std::vector<int64_t> shape;  // kDynamic (support/tensor_type.h) where it stays open
  std::string dtype;           // empty: the argument's own
};

// kUsage where it is not NAME=SHAPE.
Expected<ShapeArgument> ParseShapeArgument(std::string_view text);

// As ParseShapeArgument reads it.
std::string ToText(const ShapeArgument& argument);

// kBadInput where there is no such argument, where its type does not admit the shape, or where the program
// contradicts it. The module is then of no more use.
Expected<void> SpecializeShapes(mlir::ModuleOp module, std::string_view entry,
                                const std::vector<ShapeArgument>& arguments);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPECIALIZE_SPECIALIZE_H_
