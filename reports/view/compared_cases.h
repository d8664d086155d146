// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Joins the cases of several runs by their ids: the outcome of each on each target, and the same by op.
//
//   const std::vector<ComparedCase> cases = JoinCases({{&host, "host/index.html"}, {&xla, "xla/index.html"}});
//   for (const auto& [op, members] : ByOp(cases)) fmt::print("{} {}\n", op, Summarize(members, 0).passed);
#ifndef OPBYOP_REPORTS_VIEW_COMPARED_CASES_H_
#define OPBYOP_REPORTS_VIEW_COMPARED_CASES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/view/rows.h"

namespace opbyop::reports {

struct ComparedRun {
  const View* view = nullptr;
  std::string link;  // of the run's own page, relative to the comparison's page
};

// The outcome of a case on one target. Rows of a case share its record, but the baseline may judge them differently.
struct Outcome {
  const RowResult* row = nullptr;  // the worst of the case's rows
  std::string repro;               // set if the case did not pass
  double bound_ratio = -1;         // -1: nothing was compared
  double max_abs = 0;
  double max_rel = 0;
  double median_us = -1;    // -1: not measured
  bool first_call = false;  // whether the time is that of a single run
  double compile_ms = -1;   // of all stages before `load`
};

struct ComparedCase {
  const Case* c = nullptr;
  std::vector<std::optional<Outcome>> outcomes;  // by run; nullopt: the run has no such case
};

// The number of cases that ended with one status in one stage.
struct EndCount {
  Status status = Status::kPass;
  std::string stage;  // empty on pass
  int64_t cases = 0;
  const Outcome* first = nullptr;  // in the order of the cases
};

// Sums up some cases on one target.
struct OutcomeSummary {
  int64_t cases = 0;
  int64_t passed = 0;
  std::vector<EndCount> ends;  // without passes; sorted by SeverityOf, then by number of cases
  double bound_ratio = -1;     // the largest; NaN is larger than any number
  double median_us = -1;       // median over the cases, without first calls
  double compile_ms = -1;
};

// All cases of all runs, in the order of the manifests. They point into the views.
std::vector<ComparedCase> JoinCases(const std::vector<ComparedRun>& runs);

using CaseGroups = std::map<std::string, std::vector<const ComparedCase*>>;

// Grouped by OpLabel.
CaseGroups ByOp(const std::vector<ComparedCase>& cases);

// The order in which a reader must see statuses, larger first: red, then expected to fail, then inconclusive, then a
// pass.
int SeverityOf(Status status);

// The element type of the first output: "f32", "quantized", "tuple"; "none" without an output.
std::string ResultType(const Case& c);

// Grouped by ResultType.
CaseGroups ByType(const std::vector<const ComparedCase*>& cases);

OutcomeSummary Summarize(const std::vector<const ComparedCase*>& cases, size_t run);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_COMPARED_CASES_H_
