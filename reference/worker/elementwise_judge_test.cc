// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/elementwise_judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ir/read_module.h"
#include "reference/eval/constant.h"
#include "reference/tensor/counter_stream.h"
#include "reference/worker/output_judge.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kElements = 5000;  // no multiple of a block
constexpr int64_t kNever = int64_t{1} << 40;
constexpr ElementwiseLimits kBlocks{.fewest = 1, .block = 64, .fewest_by_code = kNever};
constexpr ElementwiseLimits kCodes{.fewest = 1, .block = 64, .fewest_by_code = 1};

// A program with its arguments, and what a device gives for it.
class ElementwiseJudgeTest : public testing::Test {
 protected:
  // `body` uses %0, %1, ... and defines %r; `types` are those of the arguments.
  void Program(const std::string& body, const std::vector<std::string>& types, const std::string& result) {
    std::string parameters;
    for (size_t i = 0; i < types.size(); ++i) parameters += fmt::format("{}%{}: {}", i == 0 ? "" : ", ", i, types[i]);
    Module(fmt::format("func.func @main({}) -> {} {{\n  {}\n  return %r : {}\n}}\n", parameters, result, body, result));
  }

  void Module(const std::string& text) {
    arguments_.clear();
    auto module = ReadModuleFromBytes(text, "test", context_);
    ASSERT_TRUE(module.has_value()) << text << module.error().message;
    module_ = std::move(*module);
    entry_ = *EntryOf(*module_);
  }

  // Sets the arguments to random codes: every kind of number, infinities and NaN included.
  void Draw(bool stored = true) {
    for (mlir::Value argument : entry_->getRegion(0).getArguments()) {
      const auto type = llvm::cast<mlir::RankedTensorType>(argument.getType());
      const ElementType element = *ElementTypeOf(type);
      const Shape shape(type.getShape().begin(), type.getShape().end());
      Buffer bytes(static_cast<size_t>(SizeOf(shape) * StoredBytes(element)));
      for (size_t i = 0; i < bytes.bytes(); ++i) bytes.data()[i] = static_cast<std::byte>(random_.Bits(drawn_++));
      if (element == ElementType::kI1) {
        for (size_t i = 0; i < bytes.bytes(); ++i) bytes.data()[i] &= std::byte{1};
      }
      if (stored) {
        arguments_.emplace_back(Tensor::OfStored(element, shape, bytes));
      } else {
        arguments_.emplace_back(*TensorFromBytes(element, shape, {bytes.data(), bytes.bytes()}));
      }
    }
  }

  Tensor Evaluate() { return EvaluateFunction("main"); }

  Tensor EvaluateFunction(llvm::StringRef name) {
    Evaluator evaluator(*module_, {.bounds = true});
    return (*evaluator.CallFunction(module_->lookupSymbol(name), arguments_))[0].tensor();
  }

  // An output of a device that is right, but not always nearest.
  std::vector<std::byte> RightOutput(const Tensor& expected) {
    Tensor output = expected;
    if (output.kind() == ElementKind::kFloat && !output.bounds().empty()) {
      for (double& value : output.Mutable<double>()) {
        const auto i = static_cast<size_t>(&value - output.data<double>().data());
        const uint64_t mixed = std::bit_cast<uint64_t>(value) * 0x9E3779B97F4A7C15;
        const FloatFormat& format = FormatOf(output.type());
        const double moved = RoundTo(format, value + static_cast<double>(mixed >> 62) * format.Ulp(value));
        if (std::fabs(moved - value) <= output.bounds()[i]) value = moved;
      }
    }
    return TensorToBytes(output);
  }

  std::optional<Comparison> Judge(std::span<const std::byte> output, const ElementwiseLimits& limits,
                                  const CompareOptions& options = {}) {
    Evaluator evaluator(*module_, {.bounds = true});
    return JudgeElementwise(entry_, evaluator, arguments_, output, options, {}, limits);
  }

  // Expects the comparison of a right output by blocks, and by codes, to be that of the whole output.
  void ExpectSameAsWhole() {
    const Tensor expected = Evaluate();
    const std::vector<std::byte> output = RightOutput(expected);
    const CompareOptions relaxed{.factor = 2, .reason = "a policy"};
    for (const CompareOptions& options : {CompareOptions{}, relaxed}) {
      const Comparison at_once = *CompareOutput(0, expected, output, options);
      ASSERT_TRUE(at_once.accepted);
      nlohmann::json whole = at_once;
      const std::optional<Comparison> blocks = Judge(output, kBlocks, options);
      ASSERT_TRUE(blocks.has_value());
      EXPECT_EQ(nlohmann::json(*blocks).dump(), whole.dump());
      const std::optional<Comparison> codes = Judge(output, kCodes, options);
      ASSERT_TRUE(codes.has_value());
      EXPECT_EQ(std::isnan(codes->pcc), std::isnan(at_once.pcc));
      if (!std::isnan(at_once.pcc)) EXPECT_NEAR(codes->pcc, at_once.pcc, 1e-9);
      nlohmann::json by_code = *codes;
      for (const char* sum : {"pcc", "cosine", "rmse"}) {
        by_code.erase(sum);
        whole.erase(sum);
      }
      EXPECT_EQ(by_code.dump(), whole.dump());
    }
  }

  std::string Tensors(std::string_view element) { return fmt::format("tensor<{}x{}>", kElements, element); }
  std::string Apply(std::string_view op, const std::string& types, const std::string& result, int operands,
                    std::string_view attributes = "") {
    std::string list;
    for (int i = 0; i < operands; ++i) list += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    return fmt::format("%r = \"{}\"({}) {} : ({}) -> {}", op, list, attributes, types, result);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Operation* entry_ = nullptr;
  Values arguments_;
  const CounterStream random_{7};
  uint64_t drawn_ = 0;
};

TEST_F(ElementwiseJudgeTest, FunctionsOfFloatsAreJudgedAsAWhole) {
  for (const char* type : {"f32", "f64", "bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"}) {
    for (const char* op : {"stablehlo.abs", "stablehlo.sqrt", "stablehlo.exponential", "stablehlo.log",
                           "stablehlo.tanh", "stablehlo.sine", "stablehlo.logistic", "stablehlo.rsqrt", "chlo.erf"}) {
      SCOPED_TRACE(fmt::format("{} of {}", op, type));
      Program(Apply(op, Tensors(type), Tensors(type), 1), {Tensors(type)}, Tensors(type));
      Draw();
      ExpectSameAsWhole();
    }
  }
}

TEST_F(ElementwiseJudgeTest, OpsOfTwoOperandsAreJudgedAsAWhole) {
  for (const char* type : {"f32", "f64", "bf16", "f8E4M3FN", "i8", "ui16", "i32", "ui64", "complex<f32>"}) {
    for (const char* op : {"stablehlo.add", "stablehlo.multiply", "stablehlo.divide", "stablehlo.maximum"}) {
      SCOPED_TRACE(fmt::format("{} of {}", op, type));
      const std::string tensors = Tensors(type);
      Program(Apply(op, fmt::format("{0}, {0}", tensors), tensors, 2), {tensors, tensors}, tensors);
      Draw(/*stored=*/false);
      const Tensor expected = Evaluate();
      if (expected.kind() == ElementKind::kComplex) continue;  // see the next test
      ExpectSameAsWhole();
    }
  }
}

TEST_F(ElementwiseJudgeTest, ComplexOpsWhoseBlocksFollowOneRuleAreJudgedAsAWhole) {
  const std::string tensors = Tensors("complex<f32>");
  Program(Apply("stablehlo.add", tensors + ", " + tensors, tensors, 2), {tensors, tensors}, tensors);
  Draw();
  ExpectSameAsWhole();
}

TEST_F(ElementwiseJudgeTest, ConversionsMasksAndSelectionsAreJudgedAsAWhole) {
  for (const auto& [from, to] :
       {std::pair("f32", "bf16"), {"bf16", "f32"}, {"i8", "f16"}, {"f16", "i1"}, {"f64", "f8E5M2"}, {"i1", "i32"}}) {
    SCOPED_TRACE(fmt::format("{} to {}", from, to));
    Program(Apply("stablehlo.convert", Tensors(from), Tensors(to), 1), {Tensors(from)}, Tensors(to));
    Draw();
    ExpectSameAsWhole();
  }
  const std::string floats = Tensors("bf16"), masks = Tensors("i1");
  Program(Apply("stablehlo.select", masks + ", " + floats + ", " + floats, floats, 3), {masks, floats, floats}, floats);
  Draw();
  ExpectSameAsWhole();
  Program(Apply("stablehlo.compare", floats + ", " + floats, masks, 2,
                "{comparison_direction = #stablehlo<comparison_direction LT>}"),
          {floats, floats}, masks);
  Draw();
  ExpectSameAsWhole();
}

TEST_F(ElementwiseJudgeTest, ConstantsAndScalarsAreOperandsOfAllElements) {
  const std::string tensors = Tensors("bf16");
  Program(fmt::format("%c = stablehlo.constant dense<1.5> : tensor<bf16>\n"
                      "  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<bf16>) -> {0}\n"
                      "  %r = stablehlo.multiply %b, %0 : {0}",
                      tensors),
          {tensors}, tensors);
  Draw();
  ExpectSameAsWhole();
  Program(fmt::format("%c = stablehlo.constant dense<-2.0> : {0}\n  %r = stablehlo.divide %0, %c : {0}", tensors),
          {tensors}, tensors);
  Draw();
  ExpectSameAsWhole();
  Program(fmt::format("%r = stablehlo.clamp %0, %1, %2 : (tensor<bf16>, {0}, tensor<bf16>) -> {0}", tensors),
          {"tensor<bf16>", tensors, "tensor<bf16>"}, tensors);
  Draw();
  ExpectSameAsWhole();
}

TEST_F(ElementwiseJudgeTest, CountsAlongAnyDimensionAreOperands) {
  const std::string numbers = "tensor<5x20x50xi32>", masks = "tensor<5x20x50xi1>";
  for (const int dimension : {0, 1, 2}) {
    SCOPED_TRACE(dimension);
    Program(fmt::format("%i = stablehlo.iota dim = {0} : {1}\n"
                        "  %r = stablehlo.compare LT, %i, %0 : ({1}, {1}) -> {2}",
                        dimension, numbers, masks),
            {numbers}, masks);
    arguments_.emplace_back(CountingLine(ElementType::kI32, kElements).Reshaped({5, 20, 50}));
    ExpectSameAsWhole();
  }
  // Counts beyond the type's integers are rounded, or wrap.
  for (const std::string type : {"tensor<5000xbf16>", "tensor<5000xi8>"}) {
    SCOPED_TRACE(type);
    Program(fmt::format("%i = stablehlo.iota dim = 0 : {0}\n  %r = stablehlo.subtract %0, %i : {0}", type), {type},
            type);
    Draw();
    ExpectSameAsWhole();
  }
}

TEST_F(ElementwiseJudgeTest, AMaskThatIsWrongAtTheLastCountIsLeftToTheCaller) {
  const std::string numbers = "tensor<100x50xi32>", masks = "tensor<100x50xi1>";
  Program(fmt::format("%i = stablehlo.iota dim = 0 : {0}\n  %r = stablehlo.compare LT, %i, %0 : ({0}, {0}) -> {1}",
                      numbers, masks),
          {numbers}, masks);
  Draw();
  std::vector<std::byte> output = TensorToBytes(Evaluate());
  ASSERT_TRUE(Judge(output, kBlocks).has_value());
  output.back() ^= std::byte{1};
  EXPECT_FALSE(Judge(output, kBlocks).has_value());
}

TEST_F(ElementwiseJudgeTest, AWrongElementInAnyBlockIsLeftToTheCaller) {
  const std::string tensors = Tensors("bf16");
  Program(Apply("stablehlo.tanh", tensors, tensors, 1), {tensors}, tensors);
  Draw();
  const std::vector<std::byte> right = TensorToBytes(Evaluate());
  ASSERT_TRUE(Judge(right, kBlocks).has_value());
  for (const size_t element : {size_t{0}, size_t{63}, size_t{64}, size_t{kElements - 1}}) {
    std::vector<std::byte> wrong = right;
    wrong[2 * element + 1] ^= std::byte{0x10};
    EXPECT_FALSE(Judge(wrong, kBlocks).has_value()) << element;
    EXPECT_FALSE(Judge(wrong, kCodes).has_value()) << element;
  }
}

TEST_F(ElementwiseJudgeTest, ABooleanByteOtherThan0And1IsLeftToTheCaller) {
  const std::string tensors = Tensors("i1");
  Program(Apply("stablehlo.not", tensors, tensors, 1), {tensors}, tensors);
  Draw();
  std::vector<std::byte> output = TensorToBytes(Evaluate());
  ASSERT_TRUE(Judge(output, kCodes).has_value());
  for (std::byte& b : output) b = b == std::byte{1} ? std::byte{2} : b;
  EXPECT_FALSE(Judge(output, kBlocks).has_value());
  EXPECT_FALSE(Judge(output, kCodes).has_value());
}

TEST_F(ElementwiseJudgeTest, ADeviceWithTwoResultsForOneCodeIsJudgedByBlocks) {
  const std::string tensors = Tensors("bf16");
  Program(Apply("stablehlo.exponential", tensors, tensors, 1), {tensors}, tensors);
  Draw();
  const Tensor expected = Evaluate();
  std::vector<std::byte> output = TensorToBytes(expected);
  const std::vector<std::byte> moved = RightOutput(expected);
  std::copy(moved.begin() + kElements / 2 * 2, moved.end(), output.begin() + kElements / 2 * 2);
  ASSERT_NE(output, moved);
  const std::optional<Comparison> codes = Judge(output, kCodes);
  ASSERT_TRUE(codes.has_value());
  EXPECT_EQ(nlohmann::json(*codes).dump(), nlohmann::json(*CompareOutput(0, expected, output)).dump());
}

// At a pole a function may give anything, and the bound of a tensor with a pole follows another rule.
TEST_F(ElementwiseJudgeTest, BlocksWithDifferentRulesAreLeftToTheCaller) {
  const std::string tensors = Tensors("bf16");
  Program(Apply("chlo.digamma", tensors, tensors, 1), {tensors}, tensors);
  Tensor values = Tensor::Splat<double>(ElementType::kBf16, {kElements}, 1.5);
  values.Mutable<double>()[kElements - 1] = -1;
  Buffer bytes(2 * kElements);
  std::ranges::copy(TensorToBytes(values), bytes.data());
  arguments_.emplace_back(Tensor::OfStored(ElementType::kBf16, {kElements}, bytes));
  const Tensor expected = Evaluate();
  const std::vector<std::byte> output = TensorToBytes(expected);
  EXPECT_FALSE(Judge(output, kBlocks).has_value());
  const std::optional<Comparison> codes = Judge(output, kCodes);  // all codes at once
  ASSERT_TRUE(codes.has_value());
  EXPECT_EQ(codes->rule, CompareOutput(0, expected, output)->rule);
  EXPECT_EQ(codes->unbounded, 1);
}

TEST_F(ElementwiseJudgeTest, CodesThatADeviceFlushesAreTakenFromTheAlternative) {
  const std::string tensors = Tensors("bf16");
  Program(Apply("stablehlo.sqrt", tensors, tensors, 1), {tensors}, tensors);
  Draw();
  Arithmetic flushing;
  flushing.flushes = {.operands = true, .results = true};
  const EvalOptions plain{.bounds = true};
  const std::vector<Alternative> ways = AlternativesOf(flushing, plain);
  const auto evaluate = [&](const Alternative& way) {
    Evaluator evaluator(*module_, way.options);
    return evaluator.CallFunction(entry_, arguments_);
  };
  const std::vector<std::byte> output = TensorToBytes((*evaluate(ways[0]))[0].tensor());
  AlternativeResults alternatives(ways, evaluate);
  nlohmann::json whole = *JudgeOutput(0, Evaluate(), {kElements}, output, {.alternatives = &alternatives});
  ASSERT_TRUE(whole["accepted"].get<bool>());
  ASSERT_THAT(whole["rule"].get<std::string>(), testing::HasSubstr("subnormals"));
  Evaluator evaluator(*module_, plain);
  const auto codes = JudgeElementwise(entry_, evaluator, arguments_, output, {}, ways, kCodes);
  ASSERT_TRUE(codes.has_value());
  nlohmann::json by_code = *codes;
  for (const char* sum : {"pcc", "cosine", "rmse"}) {
    by_code.erase(sum);
    whole.erase(sum);
  }
  EXPECT_EQ(by_code.dump(), whole.dump());
  EXPECT_FALSE(Judge(output, kCodes).has_value());
}

// The decomposition is 1/16 more than the op, so that the two can be told apart.
TEST_F(ElementwiseJudgeTest, ACompositeIsJudgedAsTheOpAndItsDecompositionIsLeftToTheCaller) {
  for (const char* const type : {"f16", "f32"}) {
    SCOPED_TRACE(type);
    Module(fmt::format(R"(func.func @main(%0: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{
      %r = stablehlo.composite "chlo.erf" %0 {{decomposition = @erf, version = 1 : i32}}
          : (tensor<{0}x{1}>) -> tensor<{0}x{1}>
      return %r : tensor<{0}x{1}>
    }}
    func.func private @erf(%0: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{
      %c = stablehlo.constant dense<0.0625> : tensor<{0}x{1}>
      %1 = chlo.erf %0 : tensor<{0}x{1}> -> tensor<{0}x{1}>
      %2 = stablehlo.add %1, %c : tensor<{0}x{1}>
      return %2 : tensor<{0}x{1}>
    }})",
                       kElements, type));
    Draw();
    const Tensor either = Evaluate();
    std::vector<std::byte> output = TensorToBytes(either);
    for (const ElementwiseLimits& limits : {kBlocks, kCodes}) EXPECT_TRUE(Judge(output, limits).has_value());
    const Tensor decomposed = EvaluateFunction("erf");
    output = TensorToBytes(decomposed);
    EXPECT_TRUE(CompareOutput(0, either, output, {})->accepted);
    for (const ElementwiseLimits& limits : {kBlocks, kCodes}) EXPECT_FALSE(Judge(output, limits).has_value());
  }
}

TEST_F(ElementwiseJudgeTest, OtherProgramsAreLeftToTheCaller) {
  const std::string tensors = Tensors("f32");
  Program(fmt::format("%a = stablehlo.abs %0 : {0}\n  %r = stablehlo.sqrt %a : {0}", tensors), {tensors}, tensors);
  Draw();
  EXPECT_FALSE(Judge(TensorToBytes(Evaluate()), kBlocks).has_value());
  Program("%r = stablehlo.reshape %0 : (tensor<5000xf32>) -> tensor<50x100xf32>", {tensors}, "tensor<50x100xf32>");
  Draw();
  EXPECT_FALSE(Judge(TensorToBytes(Evaluate()), kBlocks).has_value());
  Program(Apply("stablehlo.abs", tensors, tensors, 1), {tensors}, tensors);
  Draw();
  EXPECT_FALSE(Judge(TensorToBytes(Evaluate()), {.fewest = kElements + 1}).has_value());
}

}  // namespace
}  // namespace opbyop::reference
