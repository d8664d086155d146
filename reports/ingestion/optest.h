// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One OpTest per row, from which the three ingestion forms are made, and the report that is an array of OpTests.
//
//   ForEachOpTest(view, [&](const OpTest& test) { ... });
//   WriteFile("optest.json", ReportText(OpTestReport(job_id), view));
//
// A model that could not be split has no rows. It is one OpTest of op builtin.module, so that it is counted.
#ifndef OPBYOP_REPORTS_INGESTION_OPTEST_H_
#define OPBYOP_REPORTS_INGESTION_OPTEST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/ingestion/row_report.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

// The schema's TestStatus. kNone (null) if the case was not run, is inconclusive or is flaky.
enum class OpTestStatus { kSuccess, kCompileFailed, kRunFailed, kGoldenFailed, kNone };

// "success", "compile_failed", ...; empty for kNone.
std::string_view ToString(OpTestStatus status);

struct OpTest {
  std::string name;  // "<model>__<case id>": unique, and the same in every run; history joins on it
  std::string file;  // the case's file, as in the manifest
  std::string model;
  std::string frontend;
  std::string op;
  std::string kind;
  std::string framework_op;
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  OpTestStatus status = OpTestStatus::kNone;
  bool success = false;  // whether the row passed; nothing else counts as success
  bool skipped = false;  // whether it is unsupported, skipped, inconclusive or failed as the baseline expects
  std::string message;   // one line of safe text; empty on success
  int64_t start_us = 0;  // unique among all tests of a run
  double wall_ms = 0;
  const RowResult* row = nullptr;      // null for a model that could not be split
  const CaseRecord* record = nullptr;  // null if the row is missing; valid during the call that receives the test
};

OpTest MakeOpTest(const RowResult& row, const CaseRecord* record, const Model& model, int64_t start_us);

// Visits all tests of a view, in its order. Only one is in memory at a time.
void ForEachOpTest(const View& view, const std::function<void(const OpTest&)>& visit);

// Whether it is unsupported, skipped, inconclusive or failed as the baseline expects.
bool CountsAsSkipped(Status status);

// The class of a record that ended with this status at `stage`.
OpTestStatus ClassifyFailure(Status status, std::string_view stage);

// The card or machine that a run used: the device that its header names, or else the kind
// of chip that its worker reports, the CPU, or the target.
std::string CardType(const RunHeader& header);

// Writes the JSON array of OpTest, which is valid against the schema: one entry a line, with a newline at the end.
class OpTestReport : public RowReport {
 public:
  explicit OpTestReport(int64_t job_id) : job_id_(job_id) {}
  std::string Head(const View& view) const override;
  std::string Row(const OpTest& test, const View& view, bool first) const override;
  std::string Tail(const View& view) const override;

 private:
  int64_t job_id_;
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_OPTEST_H_
