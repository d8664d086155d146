// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Other results that a device may give for an element because its target declares so: with subnormal numbers flushed to
// zero, with results rounded toward zero, with intermediate results unrounded, or with several of these.
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

// One way to evaluate a program, other than the plain one.
struct Alternative {
  std::string what;  // "with subnormals taken for zero"
  EvalOptions options;
};

// Returns the ways that `declared` allows. Empty if it declares none.
std::vector<Alternative> AlternativesOf(const Arithmetic& declared, const EvalOptions& plain);

// Keeps a large tensor in stored form: results of several ways exist at the same time.
void KeepStored(Value& value);
// A copy that has stored elements in common with a tensor in stored form, but no values. Other tensors as they are.
Tensor Undecoded(const Tensor& t);

// Evaluates each way at most once, and only if one of its outputs is requested.
class AlternativeResults {
 public:
  using Evaluate = std::function<Expected<Values>(const Alternative&)>;

  AlternativeResults(std::vector<Alternative> alternatives, Evaluate evaluate);

  size_t size() const { return alternatives_.size(); }
  const std::string& What(size_t way) const { return alternatives_[way].what; }
  // Returns output number `output`, evaluated in way number `way`. The output must be a tensor.
  Expected<Tensor> Output(size_t way, size_t output);
  bool evaluated() const;

 private:
  std::vector<Alternative> alternatives_;
  Evaluate evaluate_;
  std::vector<Values> results_;  // by way; empty: not evaluated
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ALTERNATIVES_H_
