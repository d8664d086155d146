// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several answers of which any may be a right device's, as one answer with a bound.
//
//   AnswerRange answers;
//   answers.Add(after_four_trips);
//   answers.Add(after_five_trips);
//   Values results = answers.Around(std::move(after_four_trips), "4 to 5 trips");
//
// Where an operand's error leaves a predicate undecided, a device may take another branch or leave a loop in another
// trip than the reference, and each way is right (docs/numerics.md).
#ifndef OPBYOP_REFERENCE_EVAL_ANSWER_RANGE_H_
#define OPBYOP_REFERENCE_EVAL_ANSWER_RANGE_H_

#include <string>
#include <vector>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// True where the errors of the element reach the other answer of a predicate, or another index.
bool IsUndecided(const Tensor& predicate);

class AnswerRange {
 public:
  // Tuples, tokens and futures are not looked into.
  void Add(const Values& values);

  // `centre`, with bounds that reach everything that was added, bounds included. `why` ends their rules where they had
  // to be widened.
  Values Around(Values centre, const std::string& why) const;

  // `centre` with infinite bounds: nothing is known of what a right device gives.
  static Values Open(Values centre, const std::string& why);

 private:
  // For every element, or for both parts of a complex one: the numbers between which it lies, and whether it may be
  // NaN.
  struct Range {
    std::vector<double> low, high;
    std::vector<char> nan, number;
  };
  std::vector<Range> ranges_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ANSWER_RANGE_H_
