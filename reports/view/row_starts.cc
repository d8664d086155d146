// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/row_starts.h"

#include <unordered_map>
#include <unordered_set>

#include "support/text/timestamp.h"

namespace opbyop::reports {

std::vector<int64_t> UniqueStarts(const View& view) {
  const int64_t run_start = ParseTimestamp(view.run->header.start).value_or(0);
  std::vector<int64_t> starts;
  starts.reserve(view.rows.size());
  // Real starts are taken first, so that only repeats of a case and rows without a record are moved.
  std::unordered_set<int64_t> used;
  for (const RowResult& row : view.rows) {
    if (row.start_us) used.insert(*row.start_us);
  }
  std::unordered_set<int64_t> given;
  std::unordered_map<int64_t, int64_t> next;  // where to look for a free microsecond after a start
  for (const RowResult& row : view.rows) {
    int64_t start = row.start_us.value_or(run_start);
    if (!row.start_us || given.count(start)) {
      int64_t& candidate = next.try_emplace(start, start).first->second;
      while (used.count(candidate)) ++candidate;
      start = candidate;
    }
    used.insert(start);
    given.insert(start);
    starts.push_back(start);
  }
  return starts;
}

}  // namespace opbyop::reports
