// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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
using testing::HasSubstr;
using testing::SizeIs;

TEST(StratifiedPositionsTest, HasTheEndsAndBothSidesOfMultiples) {
  const std::vector<int64_t> places = StratifiedPositions(1000, 48, 7);
  EXPECT_THAT(places, SizeIs(48));
  for (const int64_t place : {0, 7, 8, 15, 16, 31, 32, 127, 128, 895, 896, 999}) EXPECT_THAT(places, Contains(place));
  EXPECT_THAT(StratifiedPositions(5, 48, 7), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_NE(StratifiedPositions(1000, 48, 8), places);
}

TEST(StratifiedPlacesTest, HasTheCornersAndEdgesOfAllDimensions) {
  const std::vector<int64_t> places = StratifiedPlaces({4, 50, 60}, 48, 7);
  EXPECT_THAT(places, SizeIs(48));
  for (const int64_t place : {0, 59, 49 * 60, 49 * 60 + 59, 3 * 3000, 4 * 3000 - 1}) {
    EXPECT_THAT(places, Contains(place)) << "a corner";
  }
  EXPECT_EQ(StratifiedPlaces({1000}, 48, 7), StratifiedPositions(1000, 48, 7));
  EXPECT_THAT(StratifiedPlaces({2, 3}, 48, 7), SizeIs(6));
}

// A product of random numbers, and what a right device gives for it.
class ProductJudgeTest : public testing::Test {
 protected:
  static constexpr int64_t kRows = 200, kColumns = 150, kDepth = 96;

  // A product of bf16.
  void Program(const std::string& result) {
    Load("stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]", {kRows, kDepth}, {kDepth, kColumns},
         {kRows, kColumns}, "bf16", result);
  }

  // A convolution of two images, whose windows reach into the padding: 162 rows of the product, with sums of 108 terms.
  void Convolution(const std::string& type, const std::string& result) {
    Load(
        "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], "
        "[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
        {2, 9, 9, 12}, {3, 3, 12, kColumns}, {2, 9, 9, kColumns}, type, result);
  }

  // Reads a program of one op on random numbers of the type, between -1 and 1 or all that integers may be.
  void Load(const std::string& op, const Shape& lhs, const Shape& rhs, const Shape& out, const std::string& type,
            const std::string& result) {
    const auto in_text = [](const Shape& shape, const std::string& element) {
      return fmt::format("tensor<{}x{}>", fmt::join(shape, "x"), element);
    };
    const std::string a = in_text(lhs, type), b = in_text(rhs, type), r = in_text(out, result);
    const std::string text = fmt::format(
        "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n  %r = {3} : ({0}, {1}) -> {2}\n  return %r : {2}\n}}\n", a, b, r,
        op);
    auto module = ReadModuleFromBytes(text, "test", context_);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    module_ = std::move(*module);
    entry_ = *EntryOf(*module_);
    const CounterStream stream(5);
    uint64_t drawn = 0;
    arguments_.clear();
    const ElementType element = *ParseElementType(type);
    for (const Shape& shape : {lhs, rhs}) {
      Tensor t = Tensor::Zeros(element, shape);
      if (t.kind() == ElementKind::kFloat) {
        for (double& v : t.Mutable<double>()) v = RoundTo(FormatOf(element), 2 * stream.Unit(drawn++) - 1);
      } else {
        for (int64_t& v : t.Mutable<int64_t>()) v = WrapInteger(Info(element), stream.Bits(drawn++));
      }
      const std::vector<std::byte> bytes = TensorToBytes(t);
      Buffer stored(bytes.size());
      std::ranges::copy(bytes, stored.data());
      arguments_.emplace_back(Tensor::OfStored(element, shape, stored));
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

TEST_F(ProductJudgeTest, AConvolutionIsJudgedAsItsProductIs) {
  for (const char* type : {"f32", "bf16"}) {
    Convolution("bf16", type);
    const Comparison right = Judged();
    EXPECT_TRUE(right.accepted) << type;
    EXPECT_EQ(right.judged, "sample and checksums of 16 columns");
    EXPECT_EQ(right.least_error, 24);
    EXPECT_LT(right.elements, output_.size() / 4) << "nothing is suspicious";
  }
}

TEST_F(ProductJudgeTest, AnErrorInOneElementOfAConvolutionIsFoundWhereItIs) {
  Convolution("bf16", "f32");
  const double least = Judged().least_error;
  for (const int64_t row : {0, 8, 40, 100, 161}) {
    output_ = expected_;
    Spoil(row, 77,
          1.01 * least * std::ranges::max(expected_.bounds()) /
              expected_.bounds()[static_cast<size_t>(row * kColumns + 77)]);
    const Comparison comparison = Judged();
    EXPECT_FALSE(comparison.accepted) << row;
    ASSERT_FALSE(comparison.worst.empty());
    EXPECT_EQ(comparison.worst.front().index, (std::vector<int64_t>{row / 81, row % 81 / 9, row % 9, 77}));
  }
}

TEST_F(ProductJudgeTest, OneWrongIntegerIsFoundWhateverItsError) {
  const ProductLimits limits{.integer_rows = 64, .sampled_rows = 8, .sampled_columns = 8};
  for (const auto& [type, result] : {std::pair{"i8", "i32"}, {"i32", "i32"}, {"ui8", "ui8"}}) {
    Convolution(type, result);
    const Comparison right = Judged(limits);
    EXPECT_TRUE(right.accepted) << type << " " << result;
    EXPECT_THAT(right.judged, HasSubstr("sample and exact checksums of 64 "));
    EXPECT_EQ(right.least_error, 1);
    EXPECT_LT(right.elements, 100) << "nothing is suspicious";
    output_.Mutable<int64_t>()[100 * kColumns + 77] ^= 1;
    const Comparison wrong = Judged(limits);
    EXPECT_FALSE(wrong.accepted) << type << " " << result;
    EXPECT_EQ(wrong.mismatches, 1);
    EXPECT_EQ(wrong.worst.front().index, (std::vector<int64_t>{1, 2, 1, 77}));
  }
}

TEST_F(ProductJudgeTest, AnIntegerProductThatIsWrongEverywhereTakesNoMoreThanItsShare) {
  Load("stablehlo.dot %a, %b", {kRows, kDepth}, {kDepth, kColumns}, {kRows, kColumns}, "i8", "i32");
  for (int64_t& v : output_.Mutable<int64_t>()) v += 1;
  const Comparison comparison =
      Judged({.exact_products = 16.0 * 64 * kDepth * 10, .integer_rows = 64, .sampled_rows = 8, .sampled_columns = 8});
  EXPECT_FALSE(comparison.accepted);
  EXPECT_LE(comparison.elements, 64 + 64 * 10);
}

TEST_F(ProductJudgeTest, OnlyAProductOfTwoArgumentsIsOne) {
  Program("f32");
  EXPECT_TRUE(IsProduct(entry_));
  Convolution("i8", "i32");
  EXPECT_TRUE(IsProduct(entry_));
  Convolution("f64", "f64");
  EXPECT_FALSE(IsProduct(entry_));
  auto module = ReadModuleFromBytes(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n", "test", context_);
  EXPECT_FALSE(IsProduct(*EntryOf(**module)));
}

}  // namespace
}  // namespace opbyop::reference
