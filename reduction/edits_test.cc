// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests what each edit makes of a program, without any target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "generator/program/program_text.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reduction/edit.h"

namespace opbyop::reduction {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class EditsTest : public testing::Test {
 protected:
  Program Read(const std::string& text) {
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, "test", context_);
    EXPECT_TRUE(module) << (module ? "" : module.error().message);
    Program program;
    if (module) program.module = std::move(*module);
    return program;
  }

  static std::string Text(const Program& program) {
    return generator::ProgramText(program.module.get(), generator::Locations::kDrop);
  }

  // The valid programs that one edit leads to.
  static std::vector<std::string> After(const Program& program, const Edits& edits) {
    std::vector<std::string> texts;
    for (const Edit& edit : edits) {
      Program candidate = program.Clone();
      if (edit.apply(candidate) && CleanUp(candidate)) texts.push_back(Text(candidate));
    }
    return texts;
  }

  // Applies every valid edit of a kind, one after the other, as for a target that always fails in the same way.
  static void Exhaust(Program& program, const std::function<Edits(const Program&)>& enumerate) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edit& edit : enumerate(program)) {
        Program candidate = program.Clone();
        if (!edit.apply(candidate) || !CleanUp(candidate) || Text(candidate) == Text(program)) continue;
        program = std::move(candidate);
        changed = true;
        break;
      }
    }
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

constexpr const char* kChain = R"(
func.func private @half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  %1 = func.call @half(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.sine %1 : tensor<8xf32>
  %3 = stablehlo.multiply %2, %0 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
)";

TEST_F(EditsTest, CallsAreReplacedByWhatTheyCall) {
  const Program program = Read(kChain);
  EXPECT_THAT(After(program, CallEdits(program)),
              testing::ElementsAre(testing::AllOf(Not(HasSubstr("call")), HasSubstr("stablehlo.tanh"))));
}

TEST_F(EditsTest, ARunTakesWhatCameBeforeAsArguments) {
  Program program = Read(kChain);
  ASSERT_TRUE(CallEdits(program)[0].apply(program) && CleanUp(program));
  ASSERT_EQ(RunLength(program), 4);
  ASSERT_TRUE(RunEdit(2, 4).apply(program) && CleanUp(program));
  EXPECT_EQ(RunLength(program), 2);
  EXPECT_EQ(program.main().getNumArguments(), 2u) << "the tanh and the sum";
  EXPECT_THAT(Text(program), testing::AllOf(HasSubstr("sine"), HasSubstr("multiply"), Not(HasSubstr("tanh"))));
}

TEST_F(EditsTest, ARunReturnsTheValuesThatAreUsedAfterIt) {
  Program program = Read(kChain);
  ASSERT_TRUE(CallEdits(program)[0].apply(program) && CleanUp(program));
  ASSERT_TRUE(RunEdit(0, 2).apply(program) && CleanUp(program));
  EXPECT_EQ(program.main().getNumResults(), 2u) << "the sum is read by the product, the tanh by the sine";
}

TEST_F(EditsTest, AWholeProgramIsNoRun) {
  Program program = Read(kChain);
  EXPECT_FALSE(RunEdit(0, RunLength(program)).apply(program));
}

TEST_F(EditsTest, OpsOfRegionsAreRemoved) {
  const Program program = Read(R"(
func.func @main(%a: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.multiply %x, %x : tensor<f32>
    %2 = stablehlo.add %1, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
)");
  EXPECT_THAT(After(program, OpEdits(program)), Contains(testing::AllOf(HasSubstr("add"), Not(HasSubstr("multiply")))));
}

TEST_F(EditsTest, ALoopCarriesFewerValues) {
  Program program = Read(R"(
func.func @main(%a: tensor<i32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%i = %a, %x = %b, %y = %c) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %two : tensor<i32>
      %2 = stablehlo.add %x, %y : tensor<4xf32>
      stablehlo.return %1, %y, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}
)");
  const std::vector<std::string> texts = After(program, LoopEdits(program));
  ASSERT_EQ(texts.size(), 4u) << "one trip, and the loop without each of its values";
  EXPECT_THAT(texts[2], HasSubstr("stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>")) << texts[1];
  EXPECT_THAT(texts[2], HasSubstr("stablehlo.add %arg1, %iterArg_0"));
  EXPECT_THAT(texts[2], HasSubstr("return %arg1, %0#1"));
  Exhaust(program, [](const Program& p) {
    Edits fewer = LoopEdits(p);
    std::erase_if(fewer, [](const Edit& edit) { return edit.what.find("without its value") == std::string::npos; });
    return fewer;
  });
  EXPECT_THAT(Text(program), Not(HasSubstr("%iterArg_0"))) << "it carries one value at least";
}

TEST_F(EditsTest, TheBodyOfALoopTakesItsPlace) {
  Program program = Read(R"(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.multiply %c, %w : tensor<4xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
)");
  const std::string text = After(program, LoopEdits(program)).at(0);
  EXPECT_THAT(text, Not(HasSubstr("while")));
  EXPECT_THAT(text, HasSubstr("stablehlo.multiply %arg0, %arg1"));
}

TEST_F(EditsTest, ALoopWhoseConditionCannotChangeIsSeen) {
  const auto loop = [this](const std::string& next) {
    return Read(R"(
func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %a, %x = %b) : tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return )" +
                next + R"(, %1 : tensor<i32>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}
)");
  };
  EXPECT_TRUE(LoopsMayEnd(loop("%1")));
  EXPECT_TRUE(LoopsMayEnd(loop("%x")));
  EXPECT_FALSE(LoopsMayEnd(loop("%i")));
}

TEST_F(EditsTest, OneResultOfSeveralIsKept) {
  const Program program = Read(R"(
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %a : tensor<4xf32>
  %1 = stablehlo.tanh %a : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
)");
  EXPECT_THAT(After(program, ResultEdits(program)), Contains(Not(HasSubstr("sine"))));
  EXPECT_THAT(After(program, ResultEdits(program)), Contains(Not(HasSubstr("tanh"))));
}

TEST_F(EditsTest, FloatsAreWidenedInRegionsAndConstantsToo) {
  Program program = Read(R"(
func.func @main(%a: tensor<4xbf16>) -> tensor<f32> {
  %i = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = stablehlo.convert %a : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
)");
  ASSERT_TRUE(WidenFloats(program));
  EXPECT_THAT(Text(program), testing::AllOf(Not(HasSubstr("f32")), Not(HasSubstr("bf16")), HasSubstr("tensor<4xf64>")));
}

TEST_F(EditsTest, AProgramOfBitsIsNotWidened) {
  Program program = Read(R"(
func.func @main(%a: tensor<4xf32>) -> tensor<4xi32> {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
)");
  EXPECT_FALSE(WidenFloats(program));
}

TEST_F(EditsTest, AContractionShrinksToOneElement) {
  Program program = Read(R"(
func.func @main(%a: tensor<12x16xf32>, %b: tensor<16x12xf32>) -> tensor<12x12xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<12x16xf32>, tensor<16x12xf32>) -> tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
)");
  Exhaust(program, [](const Program& p) { return ShapeEdits(p, {}); });
  EXPECT_THAT(Text(program), HasSubstr("(tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>"));
}

TEST_F(EditsTest, ConvolutionsSlicesAndReshapesFollowTheirOperands) {
  Program program = Read(R"(
func.func @main(%a: tensor<1x3x8x8xf32>, %k: tensor<16x3x3x3xf32>) -> tensor<16x64xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x16x8x8xf32>) -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}
)");
  Exhaust(program, [](const Program& p) { return ShapeEdits(p, {}); });
  EXPECT_LE(SizeOf(program).elements, 16) << "of 1648";
}

TEST_F(EditsTest, AttributesAreRemovedOrBecomeZero) {
  Program program = Read(R"(
func.func @main(%a: tensor<4x4xf32>, %p: tensor<f32>) -> tensor<9x6xf32> {
  %0 = stablehlo.pad %a, %p, low = [1, 2], high = [1, 0], interior = [1, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<9x6xf32>
  return %0 : tensor<9x6xf32>
}
)");
  Exhaust(program, &AttributeEdits);
  EXPECT_THAT(Text(program), HasSubstr("low = [0, 0], high = [0, 0], interior = [0, 0]"));
}

TEST_F(EditsTest, AnAttributeThatAnOpNeedsStays) {
  const Program program = Read(R"(
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
)");
  EXPECT_THAT(After(program, AttributeEdits(program)), testing::IsEmpty());
}

TEST_F(EditsTest, ConstantsBecomeZero) {
  Program program = Read(R"(
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf32>
  %0 = stablehlo.add %a, %c : tensor<3xf32>
  return %0 : tensor<3xf32>
}
)");
  Exhaust(program, &AttributeEdits);
  EXPECT_THAT(Text(program), HasSubstr("dense<0.000000e+00>"));
}

TEST_F(EditsTest, TypesBecomeF32AndI32) {
  Program program = Read(R"(
func.func @main(%a: tensor<3xbf16>, %i: tensor<3xui8>) -> (tensor<3xbf16>, tensor<3xui8>) {
  %c = stablehlo.constant dense<[1.5, 2.5, 3.5]> : tensor<3xbf16>
  %0 = stablehlo.add %a, %c : tensor<3xbf16>
  %1 = stablehlo.add %i, %i : tensor<3xui8>
  return %0, %1 : tensor<3xbf16>, tensor<3xui8>
}
)");
  Exhaust(program, &TypeEdits);
  EXPECT_THAT(Text(program), testing::AllOf(HasSubstr("dense<[1.500000e+00, 2.500000e+00, 3.500000e+00]>"),
                                            HasSubstr("-> (tensor<3xf32>, tensor<3xi32>)")));
}

std::vector<float> Floats(const reference::InputData& data) {
  std::vector<float> values(data.bytes.size() / sizeof(float));
  std::memcpy(values.data(), data.bytes.data(), data.bytes.size());
  return values;
}

reference::InputData Fixed(const std::vector<float>& values) {
  reference::InputData data{reference::ElementType::kF32, {static_cast<int64_t>(values.size())}, {}};
  data.bytes.resize(values.size() * sizeof(float));
  std::memcpy(data.bytes.data(), values.data(), data.bytes.size());
  return data;
}

constexpr const char* kTanh = R"(
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";

TEST_F(EditsTest, TheWrongElementOfFixedInputsIsKept) {
  Program program = Read(kTanh);
  program.inputs = {{Fixed({1, 2, 3, 4})}};
  bool found = false;
  for (const Edit& edit : ShapeEdits(program, {2})) {
    Program candidate = program.Clone();
    if (!edit.apply(candidate) || !CleanUp(candidate) || SizeOf(candidate).elements != 2) continue;
    EXPECT_EQ(Floats(candidate.inputs->front()), std::vector<float>{3}) << "it is tried first";
    found = true;
    break;
  }
  EXPECT_TRUE(found);
}

TEST_F(EditsTest, ValuesOfFixedInputsBecomeZeroInTheEnd) {
  Program program = Read(kTanh);
  program.inputs = {{Fixed({1.2345F, -2, 3e-7F, 4})}};
  for (const Edit& edit : ValueEdits(program)) edit.apply(program);
  EXPECT_EQ(Floats(program.inputs->front()), (std::vector<float>{0, 0, 0, 0}));
}

TEST_F(EditsTest, AnUnusedArgumentIsRemovedWithItsInput) {
  Program program = Read(R"(
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.tanh %b : tensor<1xf32>
  return %0 : tensor<1xf32>
}
)");
  program.inputs = {{Fixed({1}), Fixed({2})}};
  ASSERT_TRUE(CleanUp(program));
  ASSERT_EQ(program.inputs->size(), 1u);
  EXPECT_EQ(Floats(program.inputs->front()), std::vector<float>{2});
}

}  // namespace
}  // namespace opbyop::reduction
