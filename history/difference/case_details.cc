// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/case_details.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "manifests/results/set_name.h"

namespace opbyop::history {

CaseNumbers NumbersOf(const CaseRecord& record) {
  CaseNumbers numbers;
  const Timing& timing = record.timing;
  if (timing.n > 0 && timing.median_us > 0 && std::isfinite(timing.median_us)) {
    if (timing.first_call) {
      numbers.first_call_us = timing.median_us;
    } else {
      numbers.n = timing.n;
      numbers.median_us = timing.median_us;
      numbers.min_us = timing.min_us;
    }
  }
  for (const Comparison& comparison : record.comparisons) {
    if (FreshSeedOf(comparison.policy)) continue;  // other nights have another fresh seed
    // NaN counts as larger than any number.
    const double ratio =
        std::isnan(comparison.bound_ratio) ? std::numeric_limits<double>::infinity() : comparison.bound_ratio;
    numbers.bound_ratio = std::max(numbers.bound_ratio, ratio);
  }
  return numbers;
}

void RunDetails::Add(size_t case_index, const CaseRecord& record) {
  if (case_index >= cases_.size()) cases_.resize(case_index + 1);
  CaseDetails& details = cases_[case_index].emplace();
  details.stages.reserve(record.stages.size());
  const FixedEnd end = EndOfFixedDraws(record);
  const bool fresh_decides = record.fixed.status != Status::kMissing;
  for (const StageRecord& stage : record.stages) {
    const bool is_last = fresh_decides && stage.name == record.stage;
    const Status status = !is_last ? stage.status : stage.name == end.stage ? end.status : Status::kPass;
    details.stages.push_back({Intern(stage.name), status, stage.ms});
  }
  details.comparisons.reserve(record.comparisons.size());
  for (const Comparison& c : record.comparisons) {
    if (FreshSeedOf(c.policy)) continue;
    details.comparisons.push_back(
        {Intern(c.policy), Intern(c.rule), c.output, c.elements, c.mismatches, MeasuresOf(c), c.accepted});
  }
  details.numbers = NumbersOf(record);
  details.p95_us = record.timing.p95_us;
  details.wall_ms = record.wall_ms;
  details.counts = CountsOf(record);
}

const CaseDetails* RunDetails::Find(size_t case_index) const {
  return case_index < cases_.size() && cases_[case_index] ? &*cases_[case_index] : nullptr;
}

}  // namespace opbyop::history
