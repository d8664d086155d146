// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the closing summary of a run, for a terminal and as Markdown.
//
//   std::cout << SummaryText(view);
//   WriteFile("summary.md", SummaryMarkdown(view));
#ifndef OPBYOP_REPORTS_SUMMARY_SUMMARY_H_
#define OPBYOP_REPORTS_SUMMARY_SUMMARY_H_

#include <string>

#include "reports/view/rows.h"

namespace opbyop::reports {

std::string SummaryText(const View& view);
std::string SummaryMarkdown(const View& view);

// The first line of every report: "no unexpected result", "needs attention", or that nothing was judged, which is
// neither.
std::string Headline(const View& view);

// "compiled only, not executed: no board" for a run whose target has no device here, so that a pass is one of the
// compiler only. Empty if the device ran the cases.
std::string CompiledOnly(const RunHeader& header);

// The machine and the time of a bundle's compilation: "on AMD EPYC, Debian GNU/Linux 12, 2026-11-21T10:15:00". Empty if
// the run compiled the cases itself.
std::string CompiledOn(const RunHeader& header);

// The versions that compiled and executed a bundle, if they differ: "compiled with a 1.0, executed with a 1.1". Empty if
// they are the same.
std::string OtherVersion(const RunHeader& header);

// "98.7 %", rounded, but 100 % only for all and 0 % only for none.
std::string Percent(double rate);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_SUMMARY_H_
