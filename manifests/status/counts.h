// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts rows by status, and derives the verdict on the run.
//
//   Counts counts;
//   for (const RowResult& row : rows) counts.Add(row.status);
//   counts.problems() > 0;    // red
//   counts.judged() == 0;     // not green either
#ifndef OPBYOP_MANIFESTS_STATUS_COUNTS_H_
#define OPBYOP_MANIFESTS_STATUS_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "manifests/status/status.h"

namespace opbyop {

struct Counts {
  int64_t rows = 0;
  std::array<int64_t, kAllStatuses.size()> by_status{};

  void Add(Status status);
  void Replace(Status was, Status is);  // changes the status of one row
  int64_t operator[](Status status) const { return by_status[static_cast<size_t>(status)]; }
  int64_t passed() const { return (*this)[Status::kPass]; }
  int64_t problems() const;  // rows with a status that makes a run red
  int64_t judged() const;    // rows that are not IsUnjudged
  double pass_rate() const;  // share of all rows that passed, 0 to 1; 0 without rows
};

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_STATUS_COUNTS_H_
