// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attribute to tensor.
#ifndef OPBYOP_REFERENCE_EVAL_CONSTANT_H_
#define OPBYOP_REFERENCE_EVAL_CONSTANT_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// Any elements attribute. kBadInput for an elided or missing resource, kUnsupported for other element types.
Expected<Tensor> TensorFromAttribute(mlir::ElementsAttr attribute);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_CONSTANT_H_
