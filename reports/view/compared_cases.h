// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cases of several runs joined by their ids: how each ended on each target, and the same by op.
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
  std::string link;  // of the run's own page, relative to the page that compares
};

// A case as one target left it. Rows of a case share its record; the baseline may judge them apart.
struct Outcome {
  const RowResult* row = nullptr;  // the worst of the case's rows
  std::string repro;               // of a case that did not pass
  double bound_ratio = -1;         // -1: nothing was compared
  double max_abs = 0;
  double max_rel = 0;
  double median_us = -1;    // -1: not measured
  bool first_call = false;  // the time is that of the only run
  double compile_ms = -1;   // of all stages before `load`
};

struct ComparedCase {
  const Case* c = nullptr;
  std::vector<std::optional<Outcome>> outcomes;  // by run; nullopt: the run has no such case
};

// How many cases ended with one status in one stage.
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
  std::vector<EndCount> ends;  // but passes: what a reader must see first, first; then most cases
  double bound_ratio = -1;     // the largest; NaN is larger than any number
  double median_us = -1;       // medians over the cases, without first calls
  double compile_ms = -1;
};

// All cases of all runs, in the order in which the manifests name them. They point into the views.
std::vector<ComparedCase> JoinCases(const std::vector<ComparedRun>& runs);

using CaseGroups = std::map<std::string, std::vector<const ComparedCase*>>;

// By OpLabel.
CaseGroups ByOp(const std::vector<ComparedCase>& cases);

// What a reader must see first, larger first: red, then expected to fail, then what proves nothing, then a pass.
int Badness(Status status);

// The element type of the first output: "f32", "quantized", "tuple"; "none" without an output.
std::string ResultType(const Case& c);

// By ResultType.
CaseGroups ByType(const std::vector<const ComparedCase*>& cases);

OutcomeSummary Summarize(const std::vector<const ComparedCase*>& cases, size_t run);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_COMPARED_CASES_H_
