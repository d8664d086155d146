// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognising the regions that everybody writes, for which there is a direct loop.
#ifndef OPBYOP_REFERENCE_EVAL_REGION_FORM_H_
#define OPBYOP_REFERENCE_EVAL_REGION_FORM_H_

#include <string_view>

#include "mlir/IR/Region.h"

namespace opbyop::reference {

enum class Combine { kOther, kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr, kSecond, kFirst };

// (a, b) -> op(a, b) or op(b, a) of a commutative op; kSecond returns b, kFirst a.
Combine CombineOf(mlir::Region& region);
std::string_view CombineName(Combine combine);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_REGION_FORM_H_
