// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Specializes a program with dynamic shapes for the shapes that the user names.
//
//   Expected<ShapeArgument> shape = ParseShapeArgument("x=4x8xf32");    // or "0=4x8", "x=?x8"
//   Expected<void> done = SpecializeShapes(module, "main", {*shape});
//
// Refines the types of @main's arguments and from them all results that depend on them: through calls (a function is
// copied for each set of types that it is called with), while, if, case and composites, and through the integer
// arithmetic that computes shapes. Ops of the dynamic family whose shapes are now known are replaced by their static
// counterparts; sizes of dimensions become constants. Shapes that cannot be derived stay dynamic.
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
  std::string name;            // the argument: its index, its name in the location or in jax.arg_info
  std::vector<int64_t> shape;  // kDynamic (support/tensor_type.h): the dimension stays dynamic
  std::string dtype;           // empty: the argument's own
};

// Returns kUsage if the text is not NAME=SHAPE.
Expected<ShapeArgument> ParseShapeArgument(std::string_view text);

// The text that ParseShapeArgument reads.
std::string ToText(const ShapeArgument& argument);

// Returns kBadInput if there is no such argument, if its type does not admit the shape, or if the program contradicts
// it. The module must not be used after an error.
Expected<void> SpecializeShapes(mlir::ModuleOp module, std::string_view entry,
                                const std::vector<ShapeArgument>& arguments);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPECIALIZE_SPECIALIZE_H_
