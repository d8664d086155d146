// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ranks the causes of problem rows (reports/view/cause.h) over ops and models: those whose fix would turn most models
// green come first. One error that stops 71 rows of 17 ops is one entry. A row of several ops one of which is red has no
// cause of its own (reports/summary/blame.h).
//
//   for (const RankedCause& b : RankCauses(view)) fmt::print("{} in {}: {} models\n", b.id, b.stage, b.models.size());
#ifndef OPBYOP_REPORTS_SUMMARY_RANKED_CAUSES_H_
#define OPBYOP_REPORTS_SUMMARY_RANKED_CAUSES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/view/rows.h"

namespace opbyop::reports {

struct RankedCause {
  std::string id;               // CauseId, the same in every run
  std::vector<std::string> of;  // OpLabels, the op with most rows first
  std::string stage;
  Status status = Status::kFail;
  std::string diagnostic;   // the most frequent one
  int64_t diagnostics = 0;  // how many different ones there are
  int64_t cases = 0;
  int64_t rows = 0;
  int64_t ops = 0;                  // ops in all models of these rows
  std::vector<size_t> models;       // models that have such a row, as indices into View::models
  std::vector<std::string> shared;  // what its rows have in common (reports/summary/shared_traits.h), a text for each
  std::vector<size_t> unlocked;     // those of `models` that have no other problem: green once this is fixed
};

// Most unlocked models first, then most blocked models, most rows, id.
std::vector<RankedCause> RankCauses(const View& view);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_RANKED_CAUSES_H_
