// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates an elementwise op on blocks of its operands, so that only the blocks are held as values. For masks and
// other exact ops of so many elements that their values would fill the memory.
//
//   if (std::optional<Expected<Values>> results = EvaluateByBlocks(context, evaluate)) return std::move(*results);
#ifndef OPBYOP_REFERENCE_EVAL_BY_BLOCKS_H_
#define OPBYOP_REFERENCE_EVAL_BY_BLOCKS_H_

#include <optional>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Elements `first` to `first + count - 1` of a tensor as a vector, with the tensor's bound if it has no errors.
Tensor BlockOf(const Tensor& t, int64_t first, int64_t count);

// Returns nullopt if the op is not one of these, has few elements, or has operands with errors.
std::optional<Expected<Values>> EvaluateByBlocks(const OpContext& context, EvalFn evaluate);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_BY_BLOCKS_H_
