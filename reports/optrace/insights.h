// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the parts of a trace that deserve attention: rules over it, ranked by the time that they concern.
//
//   for (const Insight& insight : Insights(trace)) fmt::print("{}: {}\n", insight.title, insight.action);
//
// Each insight has the condition that held (with its figures and the whole that they are a share of), the probable
// cause and an action. A rule whose input the trace does not have returns nothing.
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
  int64_t at_stake_ps = 0;   // the time that it concerns; more ranks first
  bool wrong = false;        // the numbers, or the record itself, cannot be trusted: ranks before all times
  std::vector<int64_t> ops;  // the ops that it names, at most 10
};

std::vector<Insight> Insights(const Trace& trace);

// A time for people, with four digits: "1.234 µs".
std::string TimeText(int64_t ps);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_INSIGHTS_H_
