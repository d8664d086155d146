// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/row_starts.h"

#include <gtest/gtest.h>

#include <set>

#include "reports/view/example_run.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

TEST(RowStartsTest, RowsThatShareAnExecutionHaveDistinctStarts) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  example.AddCase("add_3", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass).start = "2026-11-21T10:15:00.000001Z";
  example.AddRecord("add_2", Status::kPass).start = "2026-11-21T10:15:00.000002Z";
  const View view = example.MakeView();
  const std::vector<int64_t> starts = UniqueStarts(view);
  EXPECT_EQ(std::set<int64_t>(starts.begin(), starts.end()).size(), 4u);
  EXPECT_EQ(starts[0], *ParseTimestamp("2026-11-21T10:15:00.000001Z"));
  EXPECT_EQ(starts[1], *ParseTimestamp("2026-11-21T10:15:00.000003Z"));
  EXPECT_EQ(starts[2], *ParseTimestamp("2026-11-21T10:15:00.000002Z")) << "a row of its own keeps its start";
}

}  // namespace
}  // namespace opbyop::reports
