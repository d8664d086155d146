// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts an elements attribute to a tensor.
//
//   Expected<Tensor> value = TensorFromAttribute(constant.getValue());
#ifndef OPBYOP_REFERENCE_EVAL_CONSTANT_H_
#define OPBYOP_REFERENCE_EVAL_CONSTANT_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// Accepts any elements attribute. Returns kBadInput for an elided or missing resource, and kUnsupported for element
// types that the reference does not have.
Expected<Tensor> TensorFromAttribute(mlir::ElementsAttr attribute);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_CONSTANT_H_
