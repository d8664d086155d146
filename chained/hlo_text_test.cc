// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/hlo_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::chained {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kProgram =
    R"(HloModule main, is_scheduled=true, entry_computation_layout={(f32[8]{0})->f32[8]{0}}

%fused (p0: f32[8], p1: f32[8]) -> f32[8] {
  %p0 = f32[8]{0} parameter(0)
  %p1 = f32[8]{0} parameter(1)
  %t = f32[8]{0} tanh(%p1), metadata={op_name="tanh.1"}
  ROOT %s = f32[8]{0} add(%t, %p0), metadata={op_name="add.2"}
}

ENTRY %main.1 (a: f32[8]) -> f32[8] {
  %a = f32[8]{0} parameter(0)
  %b = f32[8]{0} sine(%a), metadata={op_name="sine.0" stack_frame_id=3}
  %c = bf16[8]{0} convert(%b)
  ROOT %fusion = f32[8]{0} fusion(%a, %b), kind=kLoop, calls=%fused, metadata={op_name="add.2"}, backend_config={"x":"{"}
}
)";

HloInstruction Only(std::string_view line) {
  const HloText program = ReadHloText("ENTRY main (a: f32[]) -> f32[] {\n" + std::string(line) + "\n}\n");
  const auto& found = program.computations.at("main");
  EXPECT_EQ(found.size(), 1) << line;
  return found.empty() ? HloInstruction() : found[0];
}

TEST(ReadHloTextTest, AnInstructionHasNameShapeOperandsAndTheComputationsThatItCalls) {
  const HloText program = ReadHloText(kProgram);
  EXPECT_EQ(program.entry, "main.1");
  EXPECT_EQ(program.computations.size(), 2);
  EXPECT_EQ(program.computations.at("main.1")[3], (HloInstruction{.name = "fusion",
                                                                  .opcode = "fusion",
                                                                  .op_name = "add.2",
                                                                  .bytes = 32,
                                                                  .is_root = true,
                                                                  .operands = {"a", "b"},
                                                                  .calls = {"fused"}}));
}

TEST(ReadHloTextTest, ResultsAreCountedInBytes) {
  EXPECT_EQ(Only("  %x = (f32[2,3]{1,0}, /*index=1*/s32[]) custom-call(%a), custom_call_target=\"f\"").bytes, 28);
  EXPECT_EQ(Only("  %x = s4[6]{0} negate(%a)").bytes, 3);
  EXPECT_EQ(Only("  %x = f8e4m3fn[6]{0} negate(%a)").bytes, 6);
  EXPECT_EQ(Only("  %x = c64[<=2]{0} negate(%a)").bytes, 16);
  EXPECT_EQ(Only("  %x = token[] after-all()").bytes, 0);
  EXPECT_EQ(Only("  %x = (f32[2]) tuple(%a)").bytes, 0) << "a tuple names what there is";
}

TEST(ReadHloTextTest, ComputationsOfABranchAreCalled) {
  const HloInstruction branch =
      Only("  %x = f32[] conditional(%p, %a, %b), branch_computations={%one, %two}, metadata={op_name=\"case.4\"}");
  EXPECT_THAT(branch.calls, ElementsAre("one", "two"));
  const HloInstruction loop = Only("  %x = f32[] while(%a), condition=%c, body=%b");
  EXPECT_THAT(loop.calls, UnorderedElementsAre("b", "c"));
}

TEST(ReadHloTextTest, LinesOfAnotherFormAreLeftOut) {
  const HloText program = ReadHloText("ENTRY %m (a: f32[]) -> f32[] {\n  what is this\n  %x = \n  %y = f32[\n}\nrest");
  EXPECT_THAT(program.computations.at("m"), IsEmpty());
  EXPECT_EQ(ReadHloText("no program").entry, "");
}

TEST(ReadHloTextTest, AnyPartOfAProgramIsRead) {
  for (size_t end = 0; end <= kProgram.size(); ++end) LiveBytes(ReadHloText(kProgram.substr(0, end)));
}

TEST(OpNamesOfTest, AFusionHasTheNamesOfWhatItFuses) {
  const HloText program = ReadHloText(kProgram);
  const auto& entry = program.computations.at("main.1");
  EXPECT_THAT(OpNamesOf(program, entry[3]), UnorderedElementsAre("tanh.1", "add.2"));
  EXPECT_THAT(OpNamesOf(program, entry[1]), UnorderedElementsAre("sine.0"));
  EXPECT_THAT(OpNamesOf(program, entry[2]), IsEmpty());
}

TEST(OpNamesOfTest, AComputationThatCallsItselfEnds) {
  const HloText program = ReadHloText("%f (a: f32[]) -> f32[] {\n  %x = f32[] call(%a), to_apply=%f\n}\n");
  EXPECT_THAT(OpNamesOf(program, program.computations.at("f")[0]), IsEmpty());
}

TEST(LiveBytesTest, AResultIsLiveUntilItIsReadLast) {
  EXPECT_THAT(LiveBytes(ReadHloText(kProgram)),
              UnorderedElementsAre(Pair("a", 32), Pair("b", 64), Pair("c", 80), Pair("fusion", 96)))
      << "16 bytes of c are not read, 32 of b are";
}

TEST(LiveBytesTest, WhatATupleIsMadeOfIsLiveAsLongAsTheTuple) {
  const auto live = LiveBytes(ReadHloText(R"(ENTRY %m (a: f32[8]) -> f32[8] {
  %a = f32[8]{0} parameter(0)
  %b = f32[8]{0} sine(%a)
  %t = (f32[8]) tuple(%b)
  %c = f32[8]{0} cosine(%a)
  %e = f32[8]{0} get-tuple-element(%t), index=0
  ROOT %r = f32[8]{0} add(%c, %e)
}
)"));
  EXPECT_EQ(live.at("c"), 96);
  EXPECT_EQ(live.at("r"), 128);
}

}  // namespace
}  // namespace opbyop::chained
