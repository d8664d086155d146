// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/alternatives.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reference/eval/flushing.h"

namespace opbyop::reference {

std::vector<Alternative> AlternativesOf(const Arithmetic& declared, const EvalOptions& plain) {
  std::vector<Alternative> alternatives;
  if (declared.flushes.any()) {
    alternatives.push_back({"with subnormals taken for zero", Flushing(plain, declared.flushes)});
  }
  if (declared.stores_toward_zero) {
    Alternative cut{"rounded toward zero", plain};
    cut.options.rounds_toward_zero = true;
    std::optional<Alternative> both;
    if (!alternatives.empty()) both = alternatives.front();
    alternatives.push_back(std::move(cut));
    if (both) {
      both->what += ", rounded toward zero";
      both->options.rounds_toward_zero = true;
      alternatives.push_back(std::move(*both));
    }
  }
  return alternatives;
}

AlternativeResults::AlternativeResults(std::vector<Alternative> alternatives, Evaluate evaluate)
    : alternatives_(std::move(alternatives)), evaluate_(std::move(evaluate)), results_(alternatives_.size()) {}

Expected<Tensor> AlternativeResults::Output(size_t way, size_t output) {
  Values& results = results_[way];
  if (results.empty()) {
    Expected<Values> values = evaluate_(alternatives_[way]);
    if (!values) return Unexpected(values.error());
    results = std::move(*values);
  }
  return results[output].tensor();
}

bool AlternativeResults::evaluated() const {
  return std::ranges::any_of(results_, [](const Values& values) { return !values.empty(); });
}

}  // namespace opbyop::reference
