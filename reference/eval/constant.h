// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts an elements attribute to a tensor, and counts.
//
//   Expected<Tensor> value = TensorFromAttribute(constant.getValue());
//   Tensor positions = CountingLine(ElementType::kI32, 128);   // 0 to 127
#ifndef OPBYOP_REFERENCE_EVAL_CONSTANT_H_
#define OPBYOP_REFERENCE_EVAL_CONSTANT_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// Accepts any elements attribute. Returns kBadInput for an elided or missing resource, and kUnsupported for element
// types that the reference does not have.
Expected<Tensor> TensorFromAttribute(mlir::ElementsAttr attribute);

// 0, 1, ... in a vector of this type, wrapped or rounded as `iota` does.
Tensor CountingLine(ElementType type, int64_t count);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_CONSTANT_H_
