// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes plain JUnit (junit.xml) for any CI: one testcase per row, with at most one verdict each.
//
//   <testcase name="resnet50__fft_..."><failure type="fail" message="execute: no FFT kernel">...</failure></testcase>
//
// fail, imprecise, flaky and unexpected_pass are <failure>; crash, timeout, out_of_memory and missing are <error>;
// unsupported, inconclusive, skipped and expected_fail are <skipped>. The first testcase is the run itself: an <error>
// if it did not end. It also helps with readers that refuse a suite of one case.
#ifndef OPBYOP_REPORTS_INGESTION_JUNIT_H_
#define OPBYOP_REPORTS_INGESTION_JUNIT_H_

#include <string>

#include "reports/ingestion/row_report.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

class JunitReport : public RowReport {
 public:
  std::string Head(const View& view) const override;
  std::string Row(const OpTest& test, const View& view, bool first) const override;
  std::string Tail(const View& view) const override;
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_JUNIT_H_
