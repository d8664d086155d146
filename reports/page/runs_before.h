// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The runs that came before one, for its page: how many rows passed, and which rows were red already. A history finds
// them (history/questions/runs_before.h).
#ifndef OPBYOP_REPORTS_PAGE_RUNS_BEFORE_H_
#define OPBYOP_REPORTS_PAGE_RUNS_BEFORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opbyop::reports {

struct EarlierRun {
  std::string id;
  std::string start;
  int64_t rows = 0;
  int64_t passed = 0;
  std::string href;  // its page, relative to the new page's folder; empty: it has none any more
};

struct RunsBefore {
  std::vector<EarlierRun> runs;                 // oldest first
  std::optional<std::vector<std::string>> red;  // names of the rows that were red in the newest; nullopt: not known
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_RUNS_BEFORE_H_
