// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What to look at first: rules over a trace, ranked by the time that they are about.
//
//   for (const Insight& insight : Insights(trace)) fmt::print("{}: {}\n", insight.title, insight.action);
//
// Each tells the condition that held (with its figures and what they are a share of), the probable cause and what to
// do. A rule whose input the trace does not have says nothing.
#ifndef OPBYOP_REPORTS_OPTRACE_INSIGHTS_H_
#define OPBYOP_REPORTS_OPTRACE_INSIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

struct Insight {
  std::string rule;   // "transfer-over-compute": stable, for programs
  std::string title;  // one line
  std::string condition;
  std::string cause;
  std::string action;
  int64_t at_stake_ps = 0;   // the time that it is about; more ranks first
  bool wrong = false;        // the numbers, or the record itself, cannot be trusted: ranks before all times
  std::vector<int64_t> ops;  // that it names, at most 10
};

std::vector<Insight> Insights(const Trace& trace);

// "1.234 µs": a time as people read it, four digits.
std::string TimeText(int64_t ps);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_INSIGHTS_H_
