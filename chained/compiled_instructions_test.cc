// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/compiled_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/split/case_map.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "support/xspace/trace_testing.h"

namespace opbyop::chained {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kCallsTwice = R"(
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %a : tensor<2xf32> loc("model.py":3:4)
  %1 = func.call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = func.call @twice(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [0]
      : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
})";

constexpr std::string_view kCompiled = R"(HloModule main, is_scheduled=true

%fused (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  %t = f32[2]{0} tanh(%p), metadata={op_name="tanh.0"}
  ROOT %s = f32[2]{0} sine(%t), metadata={op_name="twice/sine.1"}
}

ENTRY %main (a: f32[2]) -> f32[2] {
  %a = f32[2]{0} parameter(0)
  ROOT %fusion.7 = f32[2]{0} fusion(%a), kind=kLoop, calls=%fused, metadata={op_name="twice/sine.1"}
}
)";

class CompiledInstructionsTest : public testing::Test {
 protected:
  CompiledInstructionsTest() : context_(mlir::MLIRContext::Threading::DISABLED) {
    auto module = ReadModuleFromBytes(kCallsTwice, "test.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    module_ = std::move(*module);
    map_.emplace(*generator::CaseMap::Make(module_.get(), {}));
    plan_.emplace(*ProgramPlan::Make(*map_));
  }

  // The instructions of a trace with one event for each name, of 5 ps, 10 ps after the one before.
  std::vector<optrace::Instruction> Read(const std::vector<std::string>& names, std::string_view program) {
    std::vector<xspace::TestEvent> events;
    for (const std::string& name : names) {
      const auto begin = static_cast<int64_t>(events.size()) * 10;
      events.push_back({.offset_ps = begin, .duration_ps = 5, .stats = {xspace::TextStat(4, 1, name)}});
    }
    const std::string plane = xspace::Metadata(5, 1, "hlo_op") + xspace::Line("thread", 0, events);
    auto read = InstructionsOf(*plan_, {xspace::Plane("/host:CPU", plane), std::string(program)});
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : std::vector<optrace::Instruction>();
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::optional<generator::CaseMap> map_;
  std::optional<ProgramPlan> plan_;
};

TEST_F(CompiledInstructionsTest, TheCompilerGetsTheNamesOfTheTrace) {
  const std::string text = TextWithOpNames(*module_, *plan_, Form::kAsIs);
  EXPECT_THAT(text, HasSubstr(R"(loc("tanh.0"))"));
  EXPECT_THAT(text, HasSubstr(R"(loc("reduce.3"))"));
  EXPECT_THAT(text, Not(HasSubstr("model.py")));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EXPECT_TRUE(ReadModuleFromBytes(text, "names.mlir", context)) << text;
}

TEST_F(CompiledInstructionsTest, AnOpOfAFunctionThatIsCalledTwiceHasTheNameOfTheFirstCall) {
  const std::string text = TextWithOpNames(*module_, *plan_, Form::kAsIs);
  EXPECT_THAT(text, HasSubstr(R"(loc("sine.1"))"));
  EXPECT_THAT(text, Not(HasSubstr(R"(loc("sine.2"))")));
}

TEST_F(CompiledInstructionsTest, AFusionComputesTheOpsThatItFused) {
  EXPECT_THAT(Read({"fusion.7"}, kCompiled), ElementsAre(optrace::Instruction{.track = "thread",
                                                                              .name = "fusion.7",
                                                                              .category = "fusion",
                                                                              .ops = {1, 0},
                                                                              .dur_ps = 5,
                                                                              .bytes = 16,
                                                                              .live_bytes = 16}));
}

TEST_F(CompiledInstructionsTest, AnInstructionThatTheProgramLacksHasNoOps) {
  const auto read = Read({"fusion.7", "copy.1"}, kCompiled);
  ASSERT_EQ(read.size(), 2);
  EXPECT_EQ(read[1].start_ps, 10);
  EXPECT_THAT(read[1].ops, IsEmpty());
  EXPECT_THAT(Read({"fusion.7"}, "")[0].ops, IsEmpty());
}

TEST_F(CompiledInstructionsTest, ACollectiveHasTheBytesThatCrossTheWire) {
  constexpr std::string_view kSum = R"(HloModule main, num_partitions=8

ENTRY %main (a: f32[2]) -> f32[2] {
  %a = f32[2]{0} parameter(0)
  %start = (f32[2]{0}, f32[8]{0}) all-gather-start(%a), replica_groups={{0,1,2,3},{4,5,6,7}}, dimensions={0}
  ROOT %all-reduce.1 = f32[2]{0} all-reduce(%a), replica_groups={}, to_apply=%add, metadata={op_name="reduce.3"}
}
)";
  const auto read = Read({"start", "all-reduce.1"}, kSum);
  ASSERT_EQ(read.size(), 2);
  EXPECT_EQ(read[0].wire_bytes, 24);
  EXPECT_EQ(read[1].wire_bytes, 14);
}

TEST_F(CompiledInstructionsTest, AProcessIsATrackOfADeviceWithoutAProfiler) {
  const auto read =
      InstructionsOf(protocol::ParseSpans("execute 0 100 30 process=1\n"
                                          "collective 0 110 5 bytes=64 process=1\n"));
  ASSERT_EQ(read.size(), 3);
  EXPECT_EQ(read[1], (optrace::Instruction{.device = 1,
                                           .track = "process",
                                           .name = "collective",
                                           .category = "collective",
                                           .start_ps = 10'000,
                                           .dur_ps = 5'000,
                                           .wire_bytes = 64}));
  EXPECT_THAT(InstructionsOf(protocol::ParseSpans("execute 0 100 30\n")), IsEmpty());
}

TEST_F(CompiledInstructionsTest, WithoutAProgramTheTraceNamesTheOp) {
  const std::string stats = xspace::Metadata(5, 2, "tf_op");
  const std::string kind = xspace::Metadata(4, 1, "fusion.7", xspace::TextStat(5, 2, "reduce.3:"));
  const std::string space = xspace::Plane("/device:TPU:0", stats + kind + xspace::Line("XLA Ops", 0, {{0, 5}}));
  const auto read = InstructionsOf(*plan_, {space, ""});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1);
  EXPECT_THAT((*read)[0].ops, ElementsAre(3));
}

TEST_F(CompiledInstructionsTest, ADamagedTraceIsRefused) { EXPECT_FALSE(InstructionsOf(*plan_, {"no trace", ""})); }

}  // namespace
}  // namespace opbyop::chained
