// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Detects constants whose elements are not in the file, because they were elided when the module was printed, or
// because the file was cut off.
//
//   if (std::optional<std::string> why = MissingElements(constant.getValue())) return Fail(*why);
//
// Such constants can be read, printed and split, but nothing can be computed from them. They are never taken as zeros.
#ifndef OPBYOP_IR_MISSING_ELEMENTS_H_
#define OPBYOP_IR_MISSING_ELEMENTS_H_

#include <optional>
#include <string>

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace opbyop {

// Returns why there are no elements, as the rest of a sentence about the constant. Returns nullopt if there are
// elements.
std::optional<std::string> MissingElements(mlir::ElementsAttr elements);

}  // namespace opbyop

#endif  // OPBYOP_IR_MISSING_ELEMENTS_H_
