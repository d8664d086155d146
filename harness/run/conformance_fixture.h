// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The GoogleTest side of a run: what the TEST_P for a row needs. It does not depend on the target.
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

// A row as a test parameter, printed as "stablehlo.add (f32[2,3], f32[2,3]) -> f32[2,3]".
struct RowParam {
  const Row* row = nullptr;
};
void PrintTo(const RowParam& param, std::ostream* out);

// Returns the properties of a row in an XML or JSON report of GoogleTest: op, model, case, outcome, stage, reason,
// repro, and `unjudged` if a policy judged nothing of it (UnjudgedPolicies).
std::vector<std::pair<std::string, std::string>> RowProperties(const Row& row, const RowOutcome& outcome);

class Conformance : public testing::TestWithParam<RowParam> {
 public:
  // The run whose rows are registered. Set before InitGoogleTest, which asks for the rows.
  static void Use(ConformanceRun* run) { run_ = run; }
  static std::vector<RowParam> Rows();
  static std::string Name(const testing::TestParamInfo<RowParam>& info);

 protected:
  // Waits for the row's case. The functions below are about its outcome.
  const RowOutcome& Await();

  std::vector<std::string> stages() const { return run_->StagesOf(*GetParam().row); }

  // For ASSERT_PRED_FORMAT1: succeeds if the stage ended well. A failure names stage, status, first diagnostic and
  // repro.
  testing::AssertionResult Passed(const char*, const std::string& stage) const;

  // Succeeds if every output was accepted.
  testing::AssertionResult Accepted(const char*, const std::vector<Comparison>& comparisons) const;

  // Succeeds if the row is not red. Flaky, missing and unexpected passes are red as well.
  testing::AssertionResult Green(const char*, const Status& status) const;

  // True if the row neither passes nor fails: unsupported, skipped, inconclusive. `reason` says why.
  bool IsUnjudged() const;
  std::string reason() const;

 private:
  testing::AssertionResult Failure(const std::string& stage, Status status, const std::string& diagnostic) const;

  static ConformanceRun* run_;
  RowOutcome outcome_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_CONFORMANCE_FIXTURE_H_
