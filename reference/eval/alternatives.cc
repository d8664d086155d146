// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <utility>

#include "reference/eval/flushing.h"

namespace opbyop::reference {

void KeepStored(Value& value) {
  constexpr int64_t kLarge = int64_t{1} << 20;  // elements
  if (!value.is_tensor() || value.tensor().size() < kLarge) return;
  value = value.tensor().InStoredForm();
}

Tensor Undecoded(const Tensor& t) { return t.stored() == nullptr ? t : t.InStoredForm(); }

std::vector<Alternative> AlternativesOf(const Arithmetic& declared, const EvalOptions& plain) {
  struct Freedom {
    std::string_view what;
    std::function<void(EvalOptions&)> take;
  };
  std::vector<Freedom> freedoms;
  if (declared.flushes.any()) {
    freedoms.push_back({"with subnormals taken for zero",
                        [&](EvalOptions& options) { options = Flushing(std::move(options), declared.flushes); }});
  }
  if (declared.stores_toward_zero) {
    freedoms.push_back({"rounded toward zero", [](EvalOptions& options) { options.rounds_toward_zero = true; }});
  }
  if (declared.excess_precision) {
    freedoms.push_back({"with intermediates unrounded", [](EvalOptions& options) { options.keeps_excess = true; }});
  }
  // Every choice of some of them, the small choices first.
  std::vector<Alternative> alternatives;
  const unsigned choices = 1U << freedoms.size();
  for (int size = 1; size <= static_cast<int>(freedoms.size()); ++size) {
    for (unsigned choice = 1; choice < choices; ++choice) {
      if (std::popcount(choice) != size) continue;
      Alternative& way = alternatives.emplace_back("", plain);
      way.options.deviations = plain.likely;  // the second criterion is that of the plain result
      for (size_t i = 0; i < freedoms.size(); ++i) {
        if ((choice >> i & 1) == 0) continue;
        way.what += fmt::format("{}{}", way.what.empty() ? "" : ", ", freedoms[i].what);
        freedoms[i].take(way.options);
      }
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
    for (Value& value : results) KeepStored(value);
  }
  return Undecoded(results[output].tensor());
}

bool AlternativeResults::evaluated() const {
  return std::ranges::any_of(results_, [](const Values& values) { return !values.empty(); });
}

}  // namespace opbyop::reference
