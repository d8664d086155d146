// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The results that a device may give as well, element by element, as its target declares: with subnormal numbers taken
// for zero, with results rounded toward zero, with both.
//
//   AlternativeResults others(AlternativesOf(target.arithmetic, options), [&](const Alternative& way) {
//     return Evaluator(module, way.options).CallFunction(entry, arguments);
//   });
//   for (size_t way = 0; way < others.size(); ++way) Expected<Tensor> output = others.Output(way, i);
#ifndef OPBYOP_REFERENCE_EVAL_ALTERNATIVES_H_
#define OPBYOP_REFERENCE_EVAL_ALTERNATIVES_H_

#include <functional>
#include <string>
#include <vector>

#include "manifests/targets/arithmetic.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// One way to evaluate a program beside the plain one.
struct Alternative {
  std::string what;  // "with subnormals taken for zero"
  EvalOptions options;
};

// None where nothing of the kind is declared.
std::vector<Alternative> AlternativesOf(const Arithmetic& declared, const EvalOptions& plain);

// Each way is evaluated at most once, and only where its outputs are asked for.
class AlternativeResults {
 public:
  using Evaluate = std::function<Expected<Values>(const Alternative&)>;

  AlternativeResults(std::vector<Alternative> alternatives, Evaluate evaluate);

  size_t size() const { return alternatives_.size(); }
  const std::string& What(size_t way) const { return alternatives_[way].what; }
  // The output must be a tensor.
  Expected<Tensor> Output(size_t way, size_t output);
  bool evaluated() const;

 private:
  std::vector<Alternative> alternatives_;
  Evaluate evaluate_;
  std::vector<Values> results_;  // by way; empty: not evaluated
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ALTERNATIVES_H_
