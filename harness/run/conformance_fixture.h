// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The GoogleTest side of a run: what a TEST_P of a row needs, and nothing that knows a target.
//
//   TEST_P(Conformance, Row) {
//     for (const std::string& stage : stages()) ASSERT_PRED_FORMAT1(Passed, stage);
//   }
//   INSTANTIATE_TEST_SUITE_P(, Conformance, testing::ValuesIn(Conformance::Rows()), Conformance::Name);
#ifndef OPBYOP_HARNESS_RUN_CONFORMANCE_FIXTURE_H_
#define OPBYOP_HARNESS_RUN_CONFORMANCE_FIXTURE_H_

#include <gtest/gtest.h>

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/conformance_run.h"

namespace opbyop::harness {

// A row as a test parameter: small, printed as "stablehlo.add (f32[2,3], f32[2,3]) -> f32[2,3]".
struct RowParam {
  const Row* row = nullptr;
};
void PrintTo(const RowParam& param, std::ostream* out);

// What an XML or JSON report of GoogleTest says of a row: op, model, case, outcome, stage, reason, repro.
std::vector<std::pair<std::string, std::string>> RowProperties(const Row& row, const RowOutcome& outcome);

class Conformance : public testing::TestWithParam<RowParam> {
 public:
  // The run whose rows are registered. Set before InitGoogleTest, which asks for the rows.
  static void Use(ConformanceRun* run) { run_ = run; }
  static std::vector<RowParam> Rows();
  static std::string Name(const testing::TestParamInfo<RowParam>& info);

 protected:
  // Waits for the row's case; what follows speaks of it.
  const RowOutcome& Await();

  std::vector<std::string> stages() const { return run_->StagesOf(*GetParam().row); }

  // For ASSERT_PRED_FORMAT1: the stage ended well. A failure names stage, status, first diagnostic and repro.
  testing::AssertionResult Passed(const char*, const std::string& stage) const;

  // The outputs were accepted, each of them.
  testing::AssertionResult Accepted(const char*, const std::vector<Comparison>& comparisons) const;

  // The verdict over all: red for flaky, missing and unexpected passes as well.
  testing::AssertionResult Green(const char*, const Status& status) const;

  // True where the row neither passes nor fails: unsupported, skipped, inconclusive; `reason` says why.
  bool IsUnjudged() const;
  std::string reason() const;

 private:
  testing::AssertionResult Failure(const std::string& stage, Status status, const std::string& diagnostic) const;

  static ConformanceRun* run_;
  RowOutcome outcome_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_CONFORMANCE_FIXTURE_H_
