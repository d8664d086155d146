// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants whose elements are not in the file: left out when the module was printed, or cut off.
//
//   if (std::optional<std::string> why = MissingElements(constant.getValue())) return Fail(*why);
//
// They can be read, printed and split, but nothing can be computed from them: they are never zeros.
#ifndef OPBYOP_IR_MISSING_ELEMENTS_H_
#define OPBYOP_IR_MISSING_ELEMENTS_H_

#include <optional>
#include <string>

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace opbyop {

// Why there are no elements, as the rest of a sentence about the constant; nullopt where there are.
std::optional<std::string> MissingElements(mlir::ElementsAttr elements);

}  // namespace opbyop

#endif  // OPBYOP_IR_MISSING_ELEMENTS_H_
