// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds a run by hand for tests, small enough that a test can state what a report of it must contain.
//
//   ExampleRun example;
//   example.AddCase("tanh_4_f32_00000001", "stablehlo.tanh", {"bert", "nn"});
//   example.AddRecord("tanh_4_f32_00000001", Status::kFail, "compare", "output 0: 4 of 4 elements");
//   const View view = example.MakeView();   // two rows
#ifndef OPBYOP_REPORTS_VIEW_EXAMPLE_RUN_H_
#define OPBYOP_REPORTS_VIEW_EXAMPLE_RUN_H_

#include <optional>
#include <string>
#include <vector>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

struct ExampleRun {
  Manifest manifest;
  Run run;
  std::optional<Baseline> baseline;

  // A complete run of target `host` with stages parse, lower, load, execute, compare; models bert (jax) and nn (torch).
  ExampleRun();

  // Adds a case with two f32 operands of 2x3 and one result; each model has the op twice.
  Case& AddCase(const std::string& id, const std::string& op, const std::vector<std::string>& models);

  // Adds a record. All stages before `stage` passed in 1 ms each; `stage` itself has the status of the record.
  CaseRecord& AddRecord(const std::string& id, Status status, const std::string& stage = "compare",
                        const std::string& diagnostic = "");

  // Adds `entry` to the baseline.
  void Expect(BaselineEntry entry);

  View MakeView() const;
};

// A run with one row of every status that a worker can report, one missing row, one expected failure, one unexpected
// pass and one model that could not be split. `hostile` text is in every field that a compiler or a model can fill.
ExampleRun EveryStatus(const std::string& hostile = "");

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_EXAMPLE_RUN_H_
