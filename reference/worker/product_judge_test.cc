// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ir/read_module.h"
#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {
namespace {

using testing::Contains;
using testing::SizeIs;

TEST(StratifiedPositionsTest, HasTheEndsAndBothSidesOfMultiples) {
  const std::vector<int64_t> places = StratifiedPositions(1000, 48, 7);
  EXPECT_THAT(places, SizeIs(48));
  for (const int64_t place : {0, 7, 8, 15, 16, 31, 32, 127, 128, 895, 896, 999}) EXPECT_THAT(places, Contains(place));
  EXPECT_THAT(StratifiedPositions(5, 48, 7), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_NE(StratifiedPositions(1000, 48, 8), places);
}

// A product of random numbers, and what a right device gives for it.
class ProductJudgeTest : public testing::Test {
 protected:
  static constexpr int64_t kRows = 200, kColumns = 150, kDepth = 96;

  void Program(const std::string& result) {
    const std::string text = fmt::format(
        "func.func @main(%a: tensor<{0}x{1}xbf16>, %b: tensor<{1}x{2}xbf16>) -> tensor<{0}x{2}x{3}> {{\n"
        "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{0}x{1}xbf16>, "
        "tensor<{1}x{2}xbf16>) -> tensor<{0}x{2}x{3}>\n  return %r : tensor<{0}x{2}x{3}>\n}}\n",
        kRows, kDepth, kColumns, result);
    auto module = ReadModuleFromBytes(text, "test", context_);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    module_ = std::move(*module);
    entry_ = *EntryOf(*module_);
    const CounterStream stream(5);
    uint64_t drawn = 0;
    arguments_.clear();
    for (const Shape& shape : {Shape{kRows, kDepth}, Shape{kDepth, kColumns}}) {
      Tensor t = Tensor::Zeros(ElementType::kBf16, shape);
      for (double& v : t.Mutable<double>()) v = RoundTo(FormatOf(ElementType::kBf16), 2 * stream.Unit(drawn++) - 1);
      const std::vector<std::byte> bytes = TensorToBytes(t);
      Buffer stored(bytes.size());
      std::ranges::copy(bytes, stored.data());
      arguments_.emplace_back(Tensor::OfStored(ElementType::kBf16, shape, stored));
    }
    Evaluator evaluator(*module_, {.bounds = true});
    expected_ = (*evaluator.CallFunction(entry_, arguments_))[0].tensor();
    output_ = expected_;
  }

  // Moves an element by a multiple of its bound.
  void Spoil(int64_t row, int64_t column, double bounds) {
    const auto i = static_cast<size_t>(row * kColumns + column);
    output_.Mutable<double>()[i] = expected_.data<double>()[i] + bounds * expected_.bounds()[i];
  }

  Comparison Judged(const ProductLimits& limits = {.sampled_rows = 20, .sampled_columns = 20}) {
    Evaluator evaluator(*module_, {.bounds = true});
    Expected<Comparison> comparison =
        JudgeProduct(entry_, evaluator, arguments_, output_.shape(), TensorToBytes(output_), {}, {}, 11, limits);
    EXPECT_TRUE(comparison) << comparison.error().message;
    return comparison ? *comparison : Comparison{};
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Operation* entry_ = nullptr;
  Values arguments_;
  Tensor expected_, output_;
};

TEST_F(ProductJudgeTest, ARightOutputIsAcceptedAndSaysHowItWasJudged) {
  for (const char* type : {"f32", "bf16"}) {
    Program(type);
    const Comparison comparison = Judged();
    EXPECT_TRUE(comparison.accepted) << type;
    EXPECT_EQ(comparison.judged, "sample and checksums of 16 columns");
    EXPECT_EQ(comparison.least_error, 24);
    EXPECT_LT(comparison.elements, kRows * kColumns / 4) << "nothing is suspicious";
  }
}

TEST_F(ProductJudgeTest, AnErrorInOneElementIsFoundFromTheStatedSizeOn) {
  Program("f32");
  const double least = Judged().least_error;
  for (const auto& [row, column] : {std::pair<int64_t, int64_t>{3, 5}, {77, 101}, {199, 148}, {130, 64}}) {
    output_ = expected_;
    Spoil(row, column, 1.01 * least);
    const Comparison comparison = Judged();
    EXPECT_FALSE(comparison.accepted) << row << " " << column;
    EXPECT_EQ(comparison.mismatches, 1);
    ASSERT_FALSE(comparison.worst.empty());
    EXPECT_EQ(comparison.worst.front().index, (std::vector<int64_t>{row, column}));
  }
}

TEST_F(ProductJudgeTest, ASmallErrorOfAllElementsIsFoundByTheSample) {
  Program("f32");
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) Spoil(i, j, 1.01);
  }
  EXPECT_FALSE(Judged().accepted);
}

TEST_F(ProductJudgeTest, ANumberThatIsLackingIsFound) {
  Program("bf16");
  output_.Mutable<double>()[77 * kColumns + 101] = std::numeric_limits<double>::quiet_NaN();
  const Comparison comparison = Judged();
  EXPECT_FALSE(comparison.accepted);
  EXPECT_EQ(comparison.nan_mismatches, 1);
}

TEST_F(ProductJudgeTest, ChecksumsOfMoreRowsCostLessAndFindLess) {
  Program("f32");
  const Comparison comparison =
      Judged({.checksum_products = 2.0 * kDepth * kRows * 4, .sampled_rows = 8, .sampled_columns = 8});
  EXPECT_TRUE(comparison.accepted);
  EXPECT_EQ(comparison.judged, "sample and checksums of 64 columns");
  EXPECT_EQ(comparison.least_error, 96);
}

TEST_F(ProductJudgeTest, AnOutputThatIsWrongEverywhereTakesNoMoreThanItsShare) {
  Program("f32");
  for (double& v : output_.Mutable<double>()) v = -v + 1;
  const Comparison comparison = Judged({.exact_products = 16.0 * kDepth * 10, .sampled_rows = 8, .sampled_columns = 8});
  EXPECT_FALSE(comparison.accepted);
  EXPECT_LT(comparison.elements, 64 + 16 * 20);
}

TEST_F(ProductJudgeTest, OnlyAProductOfTwoArgumentsIsOne) {
  Program("f32");
  EXPECT_TRUE(IsProduct(entry_));
  auto module = ReadModuleFromBytes(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n", "test", context_);
  EXPECT_FALSE(IsProduct(*EntryOf(**module)));
}

}  // namespace
}  // namespace opbyop::reference
