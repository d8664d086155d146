// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The types and attributes of an op as text, for rooms without MLIR.
//
//   TensorType type = ToTensorType(value.getType());   // {{2, 3}, "f32"}
#ifndef OPBYOP_GENERATOR_PROGRAM_SIGNATURE_H_
#define OPBYOP_GENERATOR_PROGRAM_SIGNATURE_H_

#include <map>
#include <string>
#include <vector>

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "support/tensor_type.h"

namespace opbyop::generator {

// The shape and element type of a ranked tensor. Any other type is its whole text with an empty shape.
TensorType ToTensorType(mlir::Type type);

std::vector<TensorType> ToTensorTypes(mlir::TypeRange types);

// The attributes that define the op, as MLIR text of at most kMaxAttributeText characters each. Attributes that name
// functions are left out: names of functions are no part of a case.
inline constexpr size_t kMaxAttributeText = 400;
std::map<std::string, std::string> AttributeTexts(mlir::Operation* op);

// The name of a composite or the target of a custom call; empty for other ops.
std::string TargetOf(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_SIGNATURE_H_
