// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One OpTest per row: what the three ingestion forms have in common, and the OpTest array itself.
//
//   ForEachOpTest(view, [&](const OpTest& test) { ... });
//   WriteFile("optest.json", ReportText(OpTestReport(job_id), view));
//
// A model that could not be split has no rows; it is one OpTest of op builtin.module, so that it is counted.
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

// The schema's TestStatus. kNone (null) where the case was not run, proves nothing or is flaky.
enum class OpTestStatus { kSuccess, kCompileFailed, kRunFailed, kGoldenFailed, kNone };

// "success", "compile_failed", ...; empty for kNone.
std::string_view ToString(OpTestStatus status);

struct OpTest {
  std::string name;  // "<model>__<case id>": unique, the same in every run; history joins on it
  std::string file;  // the case's file, as in the manifest
  std::string model;
  std::string frontend;
  std::string op;
  std::string kind;
  std::string framework_op;
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  OpTestStatus status = OpTestStatus::kNone;
  bool success = false;  // the row passed; nothing else counts as success
  bool skipped = false;  // unsupported, skipped, inconclusive or failed as the baseline expects
  std::string message;   // one safe line; empty on success
  int64_t start_us = 0;  // unique among all tests of a run
  double wall_ms = 0;
  const RowResult* row = nullptr;      // null for a model that could not be split
  const CaseRecord* record = nullptr;  // null where the row is missing; as long as the call that passes the test lasts
};

OpTest MakeOpTest(const RowResult& row, const CaseRecord* record, const Model& model, int64_t start_us);

// All of a view, in its order; one is held at a time.
void ForEachOpTest(const View& view, const std::function<void(const OpTest&)>& visit);

// Unsupported, skipped, inconclusive or failed as the baseline expects.
bool CountsAsSkipped(Status status);

// How a record that ended so at `stage` is to be classed.
OpTestStatus ClassifyFailure(Status status, std::string_view stage);

// The card or machine that a run used: the device that its header names, else the processor, else the target.
std::string CardType(const RunHeader& header);

// JSON array of OpTest, valid against the schema; one entry a line, ends in a newline.
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
