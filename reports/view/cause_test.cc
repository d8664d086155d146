// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

constexpr const char* kCase = "tanh_4_f32_00000001";

std::string IdOf(ExampleRun& example, Status status, const std::string& stage, const std::string& diagnostic) {
  if (example.manifest.cases.empty()) example.AddCase(kCase, "stablehlo.tanh", {"bert"});
  example.run.cases.clear();
  example.AddRecord(kCase, status, stage, diagnostic);
  return CauseId(CauseOf(example.MakeView().rows.front()));
}

// Histories, issues and dashboards refer to the id.
TEST(CauseTest, AnIdStays) { EXPECT_EQ(CauseId({Status::kFail, "lower", "no kernel for # elements"}), "ge2a47601"); }

TEST(CauseTest, NumbersOfADiagnosticDoNotChangeTheId) {
  ExampleRun example;
  const std::string id = IdOf(example, Status::kFail, "lower", "no kernel for 4 elements");
  EXPECT_THAT(id, testing::MatchesRegex("g[0-9a-f]{8}"));
  EXPECT_EQ(IdOf(example, Status::kFail, "lower", "no kernel for 5 elements"), id);
  EXPECT_NE(IdOf(example, Status::kCrash, "lower", "no kernel for 4 elements"), id);
  EXPECT_NE(IdOf(example, Status::kFail, "load", "no kernel for 4 elements"), id);
  EXPECT_NE(IdOf(example, Status::kFail, "lower", "no device for 4 elements"), id);
}

TEST(CauseTest, AnExpectedFailureKeepsItsId) {
  ExampleRun example;
  const std::string id = IdOf(example, Status::kFail, "lower", "no kernel");
  example.Expect({.ids = {"*"}, .stage = "lower", .status = Status::kFail, .reason = "known"});
  EXPECT_EQ(example.MakeView().rows.front().status, Status::kExpectedFail);
  EXPECT_EQ(IdOf(example, Status::kFail, "lower", "no kernel"), id);
}

}  // namespace
}  // namespace opbyop::reports
