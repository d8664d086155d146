// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> Titles(const std::vector<TimelineRow>& rows, Section section) {
  std::vector<std::string> titles;
  for (const TimelineRow& row : rows) {
    if (row.section == section) titles.push_back(row.title);
  }
  return titles;
}

const TimelineRow& Find(const std::vector<TimelineRow>& rows, Section section, const std::string& title) {
  for (const TimelineRow& row : rows) {
    if (row.section == section && row.title == title) return row;
  }
  static const TimelineRow kNone;
  return kNone;
}

std::vector<std::string> Names(const TimelineRow& row) {
  std::vector<std::string> names;
  for (const Slice& slice : row.slices) names.push_back(slice.name);
  return names;
}

TEST(TimelineTest, GoesFromTheModelDownToHlo) {
  const auto rows = Timeline(SampleTrace());
  EXPECT_THAT(Titles(rows, Section::kExecution), ElementsAre("level 0", "level 1", "Framework Ops", "HLO Ops"));
  EXPECT_THAT(Names(Find(rows, Section::kExecution, "level 0")), Contains("NN[model]"));
  EXPECT_THAT(Names(Find(rows, Section::kExecution, "level 1")), Contains("NN[model]/Linear[layer1]"));
}

TEST(TimelineTest, ShowsReluAsMaximum) {
  const auto rows = Timeline(SampleTrace());
  EXPECT_THAT(Names(Find(rows, Section::kExecution, "HLO Ops")), Contains("maximum.4"));
}

TEST(TimelineTest, ShowsInputsAmongTheTransfers) {
  const auto rows = Timeline(SampleTrace());
  const TimelineRow& row = Find(rows, Section::kDataTransfer, "HLO Ops");
  std::vector<std::string> members;
  for (const Slice& slice : row.slices) members.insert(members.end(), slice.members.begin(), slice.members.end());
  EXPECT_THAT(members, Contains("NN[model]/input"));
}

TEST(TimelineTest, PadsShortPaths) {
  Trace trace = SampleTrace();
  trace.ops[9].path = {"NN[model]"};
  EXPECT_THAT(Names(Find(Timeline(trace), Section::kExecution, "level 1")),
              Contains("NN[model]/NN[model].projected.0"));
}

TEST(TimelineTest, SectionsWithoutOpsHaveARowPerName) {
  const auto rows = Timeline(SampleTrace());
  EXPECT_THAT(Titles(rows, Section::kOverview), ElementsAre("Compute Busy", "DMA Busy", "Runtime Setup"));
  EXPECT_THAT(Titles(rows, Section::kCompile), ElementsAre("object", "stablehlo-to-linalg"));
}

TEST(TimelineTest, RowsNeverOverlapHoweverLarge) {
  for (const TimelineRow& row : Timeline(LargeTrace(5000))) {
    for (size_t i = 1; i < row.slices.size(); ++i) ASSERT_GE(row.slices[i].start, row.slices[i - 1].end);
  }
}

}  // namespace
}  // namespace opbyop::optrace
