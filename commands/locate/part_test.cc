// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::locate {
namespace {

using testing::ElementsAre;

class PartTest : public testing::Test {
 protected:
  Program Read(const std::string& text, const std::vector<float>& input) {
    auto module = ReadModuleFromBytes(text, "model.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    Program program{std::move(*module), std::vector<reference::InputData>()};
    std::vector<std::byte> bytes(input.size() * sizeof(float));
    std::memcpy(bytes.data(), input.data(), bytes.size());
    program.inputs->push_back({reference::ElementType::kF32, {static_cast<int64_t>(input.size())}, std::move(bytes)});
    return program;
  }

  static std::vector<float> Floats(const reference::InputData& input) {
    std::vector<float> values(input.bytes.size() / sizeof(float));
    std::memcpy(values.data(), input.bytes.data(), input.bytes.size());
    return values;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

constexpr const char* kDoubled = R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %0 = stablehlo.multiply %a, %two : tensor<2xf32>
  %1 = stablehlo.add %0, %a : tensor<2xf32>
  %2 = stablehlo.subtract %1, %0 : tensor<2xf32>
  return %2 : tensor<2xf32>
})";

TEST_F(PartTest, TheReferencesValuesAreTheInputsOfAPart) {
  const Program program = Read(kDoubled, {1, 3});
  const Expected<KnownValues> values = ValuesOf(program);
  ASSERT_TRUE(values) << values.error().message;
  const Ops ops = ComputationsOf(program.body());
  ASSERT_EQ(ops.size(), 3u);
  const Expected<Program> part = Cut(program, {ops[2]}, *values, ResultsOf({ops[2]}, Asked::kUsed));
  ASSERT_TRUE(part) << part.error().message;
  ASSERT_EQ(part->inputs->size(), 2u);
  EXPECT_THAT(Floats((*part->inputs)[0]), ElementsAre(3, 9));
  EXPECT_THAT(Floats((*part->inputs)[1]), ElementsAre(2, 6));
  const Expected<KnownValues> again = ValuesOf(*part);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->lookup(part->body().getTerminator()->getOperand(0)).data<double>()[1], 3);
}

TEST_F(PartTest, AConstantIsCopied) {
  const Program program = Read(kDoubled, {1, 3});
  const Ops ops = ComputationsOf(program.body());
  const Expected<Program> part = Cut(program, {ops[0]}, *ValuesOf(program), ResultsOf({ops[0]}, Asked::kUsed));
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(part->body().getNumArguments(), 1u);
  EXPECT_EQ(reduction::SizeOf(*part).ops, 1);
}

TEST_F(PartTest, ResultsThatAnOpOfThePartUsesNeedNotBeAskedFor) {
  const Program program = Read(kDoubled, {1, 3});
  const Ops ops = ComputationsOf(program.body());
  EXPECT_THAT(ResultsOf({ops[0], ops[1]}, Asked::kUsed), ElementsAre(ops[0]->getResult(0), ops[1]->getResult(0)));
  EXPECT_THAT(ResultsOf({ops[0], ops[1]}, Asked::kLast), ElementsAre(ops[1]->getResult(0)));
}

TEST_F(PartTest, AFunctionThatAnOpNamesIsKept) {
  const Program program = Read(R"(
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %a : tensor<2xf32>
  %1 = stablehlo.composite "my.twice" %0 {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})",
                               {1, 3});
  const Expected<KnownValues> values = ValuesOf(program);
  ASSERT_TRUE(values) << values.error().message;
  const Ops ops = ComputationsOf(program.body());
  const Expected<Program> part = Cut(program, {ops[1]}, *values, ResultsOf({ops[1]}, Asked::kUsed));
  ASSERT_TRUE(part) << part.error().message;
  mlir::ModuleOp module = part->module.get();
  EXPECT_TRUE(module.lookupSymbol("twice"));
  EXPECT_FALSE(module.lookupSymbol("other"));
}

constexpr const char* kLoop = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %limit = stablehlo.constant dense<9.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%c = %x, %s = %zero) : tensor<2xf32>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.add %c, %x : tensor<2xf32>
      %t = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %n, %t : tensor<2xf32>, tensor<f32>
    }
  return %r#0 : tensor<2xf32>
})";

TEST_F(PartTest, ALoopIsOpenedWithTheValuesOfEachTrip) {
  const Program program = Read(kLoop, {1, 2});
  const Expected<KnownValues> values = ValuesOf(program);
  ASSERT_TRUE(values) << values.error().message;
  mlir::Operation* loop = ComputationsOf(program.body()).front();
  const Expected<Opened> opened = Open(program, loop, *values);
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ(opened->trips.size(), 2u);
  const Ops ops = ComputationsOf(*opened->block);
  const Expected<Program> second = Cut(program, {ops[0]}, opened->trips[1], ResultsOf({ops[0]}, Asked::kUsed));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(Floats((*second->inputs)[0]), ElementsAre(2, 4));
  EXPECT_THAT(Floats((*second->inputs)[1]), ElementsAre(1, 2)) << "a value from outside of the loop";
}

TEST_F(PartTest, ALoopStartsAtALaterTrip) {
  const Program program = Read(kLoop, {1, 2});
  const Expected<KnownValues> values = ValuesOf(program);
  const Expected<Opened> opened = Open(program, ComputationsOf(program.body()).front(), *values);
  ASSERT_TRUE(opened) << opened.error().message;
  const Expected<Program> later = LoopFrom(program, opened->carried[1]);
  ASSERT_TRUE(later) << later.error().message;
  const Expected<KnownValues> again = ValuesOf(*later);
  ASSERT_TRUE(again) << again.error().message;
  const auto ends = [](const KnownValues& known, const Program& of) {
    return known.lookup(of.body().getTerminator()->getOperand(0)).data<double>()[1];
  };
  EXPECT_EQ(ends(*again, *later), ends(*values, program));
}

TEST_F(PartTest, ALoopThatNeverEndsIsNotOpened) {
  const Program program = Read(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%c = %x) : tensor<2xf32>
    cond {
      stablehlo.return %true : tensor<i1>
    } do {
      %n = stablehlo.negate %c : tensor<2xf32>
      stablehlo.return %n : tensor<2xf32>
    }
  return %r : tensor<2xf32>
})",
                               {1, 2});
  KnownValues values;
  values[program.body().getArgument(0)] =
      *reference::TensorFromBytes(reference::ElementType::kF32, {2}, (*program.inputs)[0].bytes);
  mlir::Operation* constant = &program.body().front();
  values[constant->getResult(0)] = reference::Tensor::Splat<uint8_t>(reference::ElementType::kI1, {}, 1);
  const Expected<Opened> opened = Open(program, ComputationsOf(program.body()).front(), values);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("more than 4096 trips"));
}

}  // namespace
}  // namespace opbyop::locate
