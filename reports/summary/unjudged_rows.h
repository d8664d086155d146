// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the rows without a verdict: unsupported, inconclusive or skipped, grouped by reason, with the ops and shapes
// that are still to be supported.
//
//   for (const UnjudgedGroup& gap : FindUnjudged(view)) fmt::print("{} {}: {} cases\n", ToString(gap.status),
//   gap.reason, gap.cases);
#ifndef OPBYOP_REPORTS_SUMMARY_UNJUDGED_ROWS_H_
#define OPBYOP_REPORTS_SUMMARY_UNJUDGED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reports/view/rows.h"

namespace opbyop::reports {

// The rows of one op.
struct UnjudgedOp {
  std::string op;             // OpLabel
  std::vector<size_t> cases;  // indices of the manifest, each once
  int64_t rows = 0;
  int64_t ops = 0;  // ops in all models of these rows
};

// The rows of one status, stage and kind of reason (reports/view/fingerprint.h).
struct UnjudgedGroup {
  Status status = Status::kUnsupported;
  std::string stage;
  std::string reason;   // the most frequent one
  int64_t reasons = 0;  // how many different ones there are
  int64_t cases = 0;
  int64_t rows = 0;
  int64_t ops = 0;
  std::vector<size_t> models;  // indices into View::models
  std::vector<UnjudgedOp> of;  // sorted by their number of ops in the models, then by name
};

// unsupported first, then inconclusive, then skipped; within each, the group with most ops of the models first.
std::vector<UnjudgedGroup> FindUnjudged(const View& view);

// The signatures of these cases, "(2x3xf32, 3xf32) -> (2xf32)", each with the number of cases, most first, then by
// text.
std::vector<std::pair<std::string, int64_t>> ShapesOf(const View& view, const std::vector<size_t>& cases);

// "still to be supported: 3 ops in 12 shapes, 340 ops of the models"; empty if nothing is left.
std::string UnjudgedLine(const View& view, Status status);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_UNJUDGED_ROWS_H_
