// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a case ended, in the properties that a smaller program must share.
//
//   EndingOf(record, c) == EndingOf(other, c)
#ifndef OPBYOP_REDUCTION_ENDING_H_
#define OPBYOP_REDUCTION_ENDING_H_

#include <string>

#include "manifests/cases/case.h"
#include "manifests/results/result.h"

namespace opbyop::reduction {

struct Ending {
  Status status = Status::kMissing;
  std::string stage;
  // For wrong numbers, the kinds of the actual and the expected number ("nan for a number"), because index, values and
  // bound differ with every shape. Otherwise the fingerprint of the diagnostic (reports/view/fingerprint.h).
  std::string cause;

  std::string Text() const;  // "fail in compare: nan for a number"
  friend bool operator==(const Ending&, const Ending&) = default;
};

Ending EndingOf(const CaseRecord& record, const Case& c);

}  // namespace opbyop::reduction

#endif  // OPBYOP_REDUCTION_ENDING_H_
