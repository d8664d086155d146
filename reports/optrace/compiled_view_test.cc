// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/compiled_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Instruction Of(std::string name, int64_t start_ps, int64_t dur_ps, std::string category = "fusion") {
  return {.track = "engine",
          .name = std::move(name),
          .category = std::move(category),
          .start_ps = start_ps,
          .dur_ps = dur_ps};
}

// A device of 1 GFLOP/s and 1 GB/s, with an op of 10 FLOP and 1000 bytes, and one of 1000 FLOP and 10 bytes.
Trace WithPeaks(std::vector<Instruction> instructions) {
  Trace trace;
  trace.header.devices = {{.id = 0, .name = "d", .peak_gflops = 1, .peak_gb_per_s = 1}};
  trace.ops = {{.id = 0, .hlo = "add", .path = {"net", "one"}, .flops = 10, .bytes = 1000},
               {.id = 1, .hlo = "dot", .path = {"net", "two"}, .flops = 1000, .bytes = 10}};
  trace.instructions = std::move(instructions);
  return trace;
}

TEST(SelfTimesTest, TheTimeOfWhatIsInsideIsNotCountedTwice) {
  const std::vector<Instruction> all = {Of("while", 0, 100), Of("call", 10, 50), Of("add", 20, 10), Of("last", 100, 5)};
  EXPECT_THAT(SelfTimes(all), ElementsAre(50, 40, 10, 5));
}

TEST(SelfTimesTest, TracksDoNotContainEachOther) {
  std::vector<Instruction> all = {Of("a", 0, 100), Of("b", 10, 50)};
  all[1].track = "another";
  EXPECT_THAT(SelfTimes(all), ElementsAre(100, 50));
}

TEST(WorkOfTest, WhatIsFusedIsNotMoved) {
  const Trace trace = WithPeaks({});
  Instruction fusion = Of("fusion", 0, 1);
  fusion.ops = {0, 1};
  EXPECT_EQ(WorkOf(fusion, trace.ops).bytes, 1010) << "its own bytes are not known";
  fusion.bytes = 600;
  EXPECT_EQ(WorkOf(fusion, trace.ops).flops, 1010);
  EXPECT_EQ(WorkOf(fusion, trace.ops).bytes, 600);
  fusion.bytes = 1 << 20;
  EXPECT_EQ(WorkOf(fusion, trace.ops).bytes, 1010) << "a gather reads a part of its operand";
}

TEST(IsTransferTest, CopiesAndCollectivesMoveData) {
  for (const char* name : {"copy", "copy-start", "all-reduce", "all-reduce-done", "collective-permute", "infeed"})
    EXPECT_TRUE(IsTransfer(name)) << name;
  for (const char* name : {"fusion", "", "copyright", "sendable", "dot"}) EXPECT_FALSE(IsTransfer(name)) << name;
}

TEST(RegionsTest, AnIdleRegionSaysHowMuch) {
  const auto regions = Regions(WithPeaks({Of("first", 0, 100), Of("last", 700, 100)}));
  ASSERT_THAT(regions, SizeIs(8));
  EXPECT_EQ(regions[3].idle, 1);
  EXPECT_THAT(regions[3].advice, Contains(HasSubstr("idle 100 %")));
  EXPECT_EQ(regions[0].idle, 0);
}

TEST(RegionsTest, ATransferIsExposedWhereNothingElseRuns) {
  Instruction copy = Of("copy.1", 0, 100, "copy");
  copy.track = "queue";
  const auto regions = Regions(WithPeaks({copy, Of("dot.1", 50, 750, "dot")}));
  EXPECT_DOUBLE_EQ(regions[0].exposed, 0.5);
  EXPECT_THAT(regions[0].advice, Contains(HasSubstr("transfers exposed: 50 % (copy.1)")));
  EXPECT_EQ(regions[1].exposed, 0);
}

TEST(RegionsTest, WhatOneDeviceDoesIsNotIdleOnAnother) {
  Instruction other = Of("dot.1", 0, 800);
  other.device = 1;
  const auto regions = Regions(WithPeaks({Of("dot.1", 0, 400), other}));
  EXPECT_DOUBLE_EQ(regions[7].idle, 0.5) << "of two devices";
}

TEST(RegionsTest, InstructionsThatMemoryBoundsAreNamed) {
  Instruction add = Of("add.1", 0, 50), dot = Of("dot.1", 50, 750);
  add.ops = {0};
  dot.ops = {1};
  const auto regions = Regions(WithPeaks({add, dot}));
  EXPECT_THAT(regions[0].advice, Contains(HasSubstr("1 instruction of this region is bound by memory (add.1)")));
  EXPECT_EQ(regions[0].module, "net/one");
  EXPECT_EQ(regions[1].module, "net/two");
  EXPECT_THAT(regions[1].advice, ElementsAre("dot.1 (dot.1) takes 100 % of the time"));
}

TEST(RegionsTest, WithoutPeaksNoBoundIsSaid) {
  Trace trace = WithPeaks({Of("add.1", 0, 800)});
  trace.header.devices[0].peak_gflops = 0;
  EXPECT_THAT(Regions(trace)[0].advice, Contains(HasSubstr("the device's peaks are not known")));
}

TEST(RegionsTest, ALoopRunsInItsInstructions) {
  const auto regions = Regions(WithPeaks({Of("while", 0, 800, "while"), Of("body", 0, 100)}));
  EXPECT_EQ(regions[7].idle, 1) << "of the loop itself nothing is known to run";
}

TEST(RegionsTest, NoTimeHasNoRegions) { EXPECT_THAT(Regions(WithPeaks({Of("a", 0, 0)})), IsEmpty()); }

TEST(CompiledDataTest, TracksAreInTheOrderInWhichTheyAreUsed) {
  std::vector<Instruction> all = {Of("a", 0, 5), Of("b", 5, 5), Of("c", 10, 5)};
  all[0].track = "z";
  all[1].device = 1;
  const nlohmann::json tracks = CompiledData(WithPeaks(all))["tracks"];
  EXPECT_EQ(tracks.dump(), R"([{"device":0,"name":"z"},{"device":0,"name":"engine"},{"device":1,"name":"engine"}])");
}

TEST(CompiledDataTest, ATraceWithoutInstructionsHasNone) { EXPECT_TRUE(CompiledData(WithPeaks({})).is_null()); }

TEST(CompiledDataTest, InstructionsNameTheirTracks) {
  const nlohmann::json data = CompiledData(SampleTrace());
  ASSERT_THAT(data["tracks"], SizeIs(2));
  EXPECT_EQ(data["tracks"][0]["name"], "copies");
  EXPECT_THAT(data["instructions"], SizeIs(6));
  EXPECT_EQ(data["instructions"][1]["track"], 1);
  EXPECT_EQ(data["instructions"][1]["ops"], nlohmann::json::array({1, 0}));
}

}  // namespace
}  // namespace opbyop::optrace
