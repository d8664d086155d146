// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/operator_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

using ::testing::ElementsAre;

OperatorRow Row(const std::vector<OperatorRow>& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &OperatorRow::name);
  return found == rows.end() ? OperatorRow{} : *found;
}

TEST(OperatorTableTest, CountsTheTutorialsFrameworkOps) {
  const auto rows = OperatorTable(SampleTrace({.iterations = 1}), Grouping::kFramework);
  EXPECT_EQ(Row(rows, "aten__addmm").occurrences, 2);
  EXPECT_EQ(Row(rows, "aten__relu").occurrences, 1);
  EXPECT_EQ(Row(rows, "aten__tanh").occurrences, 1);
  EXPECT_THAT(Row(rows, "aten__addmm").ops, ElementsAre(1, 2, 3, 6, 7, 8));
}

TEST(OperatorTableTest, CountsTheTutorialsHloOps) {
  const auto rows = OperatorTable(SampleTrace({.iterations = 1}), Grouping::kHlo);
  EXPECT_EQ(Row(rows, "dot_general").occurrences, 2);
  EXPECT_EQ(Row(rows, "maximum").occurrences, 1);
  EXPECT_EQ(Row(rows, "tanh").occurrences, 1);
  EXPECT_EQ(Row(rows, "tanh").time_ps, 159'000 * 101 / 100);
}

TEST(OperatorTableTest, SharesOfADeviceAndCoreAddUpTo100) {
  for (const Trace& trace : {SampleTrace(), LargeTrace(2000)}) {
    for (const Grouping grouping : {Grouping::kFramework, Grouping::kHlo, Grouping::kFrameworkAndShape,
                                    Grouping::kHloAndShape, Grouping::kCategory, Grouping::kModule}) {
      for (const Scope scope : {Scope::kExecution, Scope::kWithTransfer, Scope::kWithCompile}) {
        std::map<std::pair<int64_t, int64_t>, double> sums;
        for (const OperatorRow& row : OperatorTable(trace, grouping, scope))
          sums[{row.device, row.core}] += row.percent;
        for (const auto& [core, sum] : sums) EXPECT_NEAR(sum, 100, 1e-9);
      }
    }
  }
}

TEST(OperatorTableTest, ScopesAddRowsAndLeaveTheOthers) {
  const Trace trace = SampleTrace();
  const auto execution = OperatorTable(trace, Grouping::kHlo);
  const auto transfer = OperatorTable(trace, Grouping::kHlo, Scope::kWithTransfer);
  const auto compile = OperatorTable(trace, Grouping::kHlo, Scope::kWithCompile);
  EXPECT_EQ(Row(execution, "host to device").occurrences, 0);
  EXPECT_EQ(Row(transfer, "host to device").occurrences, 6);
  EXPECT_EQ(Row(compile, "object").occurrences, 10);
  EXPECT_EQ(Row(compile, "tanh").time_ps, Row(execution, "tanh").time_ps);
}

TEST(OperatorTableTest, SeparatesShapesAndModules) {
  const Trace trace = SampleTrace();
  const auto shapes = OperatorTable(trace, Grouping::kHloAndShape);
  EXPECT_EQ(Row(shapes, "dot_general (tensor<4x4xf32>, tensor<4x2xf32>)").occurrences, 3);
  const auto modules = OperatorTable(trace, Grouping::kModule);
  EXPECT_EQ(Row(modules, "NN[model]/Tanh[tanh]").occurrences, 3);
}

TEST(OperatorTableTest, ShowsTheWorstStatusWithItsStage) {
  Trace trace = SampleTrace();
  trace.runs[6].status = Status::kFail;
  trace.runs[6].stage = "execute";
  const OperatorRow row = Row(OperatorTable(trace, Grouping::kHlo), "dot_general");
  EXPECT_EQ(row.status, Status::kFail);
  EXPECT_EQ(row.stage, "execute");
}

TEST(OperatorTableTest, WithoutPeaksNothingIsBound) {
  Trace trace = SampleTrace();
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "dot_general").bound_by, "compute");
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "add").bound_by, "memory");
  trace.header.devices[0].peak_gflops = 0;
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "dot_general").bound_by, "");
}

TEST(OperatorTableTest, ACallThatCostsMoreThanTheWorkIsOverhead) {
  Trace trace = SampleTrace();
  const int64_t average = Row(OperatorTable(trace, Grouping::kHlo), "add").average_ps;
  trace.header.devices[0].call_ps = average / 2 + 1;
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "add").bound_by, "overhead");
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "dot_general").bound_by, "compute");
  trace.header.devices[0].call_ps = average / 2 - 1;
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "add").bound_by, "memory");
  trace.header.devices[0] = {.call_ps = average};
  EXPECT_EQ(Row(OperatorTable(trace, Grouping::kHlo), "add").bound_by, "overhead") << "without peaks too";
}

TEST(SelfTimesTest, OverlapCountsForNoSpan) {
  Trace trace;
  trace.ops = {{.id = 0, .hlo = "add"}, {.id = 1, .hlo = "dot"}};
  trace.spans = {{.id = 0, .op = 0, .start_ps = 0, .dur_ps = 10},
                 {.id = 1, .op = 1, .start_ps = 6, .dur_ps = 10},
                 {.id = 2, .op = 0, .core = 1, .start_ps = 0, .dur_ps = 20},
                 {.id = 3, .section = Section::kDataTransfer, .start_ps = 2, .dur_ps = 2}};
  EXPECT_THAT(SelfTimes(trace, Scope::kExecution), ElementsAre(6, 6, 20, 0));
  EXPECT_THAT(SelfTimes(trace, Scope::kWithTransfer), ElementsAre(4, 6, 20, 0));
  const OperatorRow row = OperatorTable(trace, Grouping::kHlo)[0];
  EXPECT_EQ(row.self_ps, 6);
  EXPECT_EQ(row.self_percent, 30);
}

TEST(FrameworkInstancesTest, OpsOfOneCallAreOne) {
  const auto instances = FrameworkInstances(SampleTrace().ops);
  EXPECT_THAT(instances, ElementsAre(0, 1, 1, 1, 2, 3, 4, 4, 4, 5));
}

}  // namespace
}  // namespace opbyop::optrace
