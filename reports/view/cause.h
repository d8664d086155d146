// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cause of a row that does not pass, with an id that is the same over ops, models, targets and time.
//
//   const Cause cause = CauseOf(row);
//   CauseId(cause);   // "g3f9a12cd": the id of its group, in every report, page and database
#ifndef OPBYOP_REPORTS_VIEW_CAUSE_H_
#define OPBYOP_REPORTS_VIEW_CAUSE_H_

#include <compare>
#include <string>

#include "reports/view/rows.h"

namespace opbyop::reports {

struct Cause {
  // the recorded status, also if the baseline expects it, so that an expected failure keeps its group
  Status status = Status::kFail;
  std::string stage;
  std::string fingerprint;  // reports/view/fingerprint.h

  auto operator<=>(const Cause&) const = default;
};

// The cause of a row that does not pass.
Cause CauseOf(const RowResult& row);

// "g" and eight hexadecimal digits of the sha256 over the three fields. It is the same in every version of opbyop that
// makes the same fingerprint of a diagnostic.
std::string CauseId(const Cause& cause);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_CAUSE_H_
