// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/counts.h"

namespace opbyop {

void Counts::Add(Status status) {
  ++rows;
  ++by_status[static_cast<size_t>(status)];
}

void Counts::Replace(Status was, Status is) {
  --by_status[static_cast<size_t>(was)];
  ++by_status[static_cast<size_t>(is)];
}

int64_t Counts::problems() const {
  int64_t sum = 0;
  for (const Status status : kAllStatuses) {
    if (IsProblem(status)) sum += (*this)[status];
  }
  return sum;
}

int64_t Counts::judged() const {
  int64_t sum = rows;
  for (const Status status : kAllStatuses) {
    if (IsUnjudged(status)) sum -= (*this)[status];
  }
  return sum;
}

double Counts::pass_rate() const { return rows == 0 ? 0 : static_cast<double>(passed()) / static_cast<double>(rows); }

}  // namespace opbyop
