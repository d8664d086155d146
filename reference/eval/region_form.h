// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognises common regions, such as the body of a sum, which have a direct loop.
//
//   if (CombineOf(reduce->getRegion(0)) == Combine::kAdd) ...
#ifndef OPBYOP_REFERENCE_EVAL_REGION_FORM_H_
#define OPBYOP_REFERENCE_EVAL_REGION_FORM_H_

#include <string_view>

#include "mlir/IR/Region.h"

namespace opbyop::reference {

enum class Combine { kOther, kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr, kSecond, kFirst };

// Recognises (a, b) -> op(a, b) or op(b, a) for a commutative op. A kFirst region returns a, a kSecond region b.
// Returns kOther for all other regions.
Combine CombineOf(mlir::Region& region);
// The same for one of several results, each of which is combined by itself: (a, b, c, d) -> (max(a, c), b + d).
Combine CombineOfResult(mlir::Region& region, unsigned result);
std::string_view CombineName(Combine combine);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_REGION_FORM_H_
