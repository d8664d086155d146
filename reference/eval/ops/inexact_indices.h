// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of elements that a device may take from elsewhere, because an index is inexact: the greatest of several numbers
// that are nearly equal, or a rounded number, may be another one there.
//
//   table["stablehlo.gather"] = &AtInexactIndices<&Gather>;
#ifndef OPBYOP_REFERENCE_EVAL_OPS_INEXACT_INDICES_H_
#define OPBYOP_REFERENCE_EVAL_OPS_INEXACT_INDICES_H_

#include <cstddef>
#include <optional>
#include <utility>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// The operands, `first` to `last`, that decide which elements an op takes, in which order, or where it puts them.
struct Places {
  size_t first, last;
};

// Returns nullopt for ops whose elements have fixed places.
std::optional<Places> PlacesOf(const OpContext& context);

// Widens the bounds of `results`, which `eval` gave: the op is evaluated with each of the indices that a device may have.
// Bounds are infinite if those are too many. Each index vector must decide elements of its own, or all elements.
Expected<Values> WithOtherIndices(OpContext& context, EvalFn eval, Values results);

// The same for an op whose index vectors decide elements together: every bound is infinite if an index is inexact.
void OpenIfIndicesAreInexact(const OpContext& context, Values& results);

// Evaluates an op that has Places, with the bounds of WithOtherIndices.
template <auto kEval>
Expected<Values> AtInexactIndices(OpContext& context) {
  Expected<Values> results = kEval(context);
  return results && context.bounds() ? WithOtherIndices(context, kEval, std::move(*results)) : std::move(results);
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_INEXACT_INDICES_H_
