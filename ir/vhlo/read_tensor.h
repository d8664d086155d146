// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts the stored bytes of a constant to elements, for producers of any age.
//
//   DenseElementsAttr value = MakeTensor(type, blob, error);
#ifndef OPBYOP_IR_VHLO_READ_TENSOR_H_
#define OPBYOP_IR_VHLO_READ_TENSOR_H_

#include <string>

#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::vhlo {

// Returns null, and a sentence in `error`, if `blob` does not fit `type`. Some producers write a boolean as one bit,
// others as one byte; the type does not say which, so the size of `blob` decides.
mlir::DenseElementsAttr MakeTensor(mlir::ShapedType type, llvm::ArrayRef<char> blob, std::string& error);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_READ_TENSOR_H_
