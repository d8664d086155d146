// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Combines several answers, any of which a right device may give, into one answer with a bound.
//
//   AnswerRange answers;
//   answers.Add(after_four_trips);
//   answers.Add(after_five_trips);
//   Values results = answers.Around(std::move(after_four_trips), "4 to 5 trips");
//
// An error of an operand may leave a predicate undecided. A device may then take another branch than the reference, or
// leave a loop in another trip; each of these answers is right (docs/numerics.md).
#ifndef OPBYOP_REFERENCE_EVAL_ANSWER_RANGE_H_
#define OPBYOP_REFERENCE_EVAL_ANSWER_RANGE_H_

#include <string>
#include <vector>

#include "reference/eval/evaluator.h"
#include "reference/tensor/block_pool.h"

namespace opbyop::reference {

// True if the first element of a predicate, or of an index, has an error and may therefore be another one.
bool IsUndecided(const Tensor& predicate);

class AnswerRange {
 public:
  // Adds an answer. Tuples, tokens and futures are ignored.
  void Add(const Values& values);

  // Returns `centre` with bounds that include every answer that was added, and its bounds. Appends `why` to the rules
  // of those that had to be widened.
  Values Around(Values centre, const std::string& why) const;

  // Returns `centre` with infinite bounds: nothing is known about what a right device gives.
  static Values Open(Values centre, const std::string& why);

 private:
  // For every element, or each part of a complex element: the least and greatest number that it may be, whether it may
  // be NaN, and whether it may be a number.
  struct Range {
    PooledNumbers low, high;
    std::vector<char, BlockAllocator<char>> nan, number;
  };
  std::vector<Range> ranges_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ANSWER_RANGE_H_
