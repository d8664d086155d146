// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns the stored bytes of a constant into elements, whatever the age of its producer.
//
//   DenseElementsAttr value = MakeTensor(type, blob, error);
#ifndef OPBYOP_IR_VHLO_READ_TENSOR_H_
#define OPBYOP_IR_VHLO_READ_TENSOR_H_

#include <string>

#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::vhlo {

// Null, and a sentence in `error`, where `blob` does not fit `type`. Booleans are told by size: producers have
// written them as one bit each and as one byte each, and the type does not say which.
mlir::DenseElementsAttr MakeTensor(mlir::ShapedType type, llvm::ArrayRef<char> blob, std::string& error);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_READ_TENSOR_H_
