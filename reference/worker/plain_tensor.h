// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The element type and the shape of an argument or a result.
#ifndef OPBYOP_REFERENCE_WORKER_PLAIN_TENSOR_H_
#define OPBYOP_REFERENCE_WORKER_PLAIN_TENSOR_H_

#include <string_view>

#include "mlir/IR/Types.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

struct PlainTensor {
  ElementType element;
  Shape shape;
};

// Returns kUnsupported for any other type; `what` is "an argument" or "a result".
Expected<PlainTensor> PlainTensorOf(mlir::Type value, std::string_view what);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_PLAIN_TENSOR_H_
