// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/sparse_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reference/inputs/draw_text.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {
namespace {

std::vector<Tensor> DrawSparse(const std::string& text, InputKind kind = InputKind::kSparse, uint64_t seed = 1) {
  return DrawText(text, kind, seed);
}

int64_t Nonzero(const Tensor& t) { return t.size() - std::ranges::count(t.data<double>(), 0.0); }

const char* kDot = R"(func.func @main(%a: tensor<8x1024xf32>, %b: tensor<1024x512xf32>) -> tensor<8x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x1024xf32>, tensor<1024x512xf32>) -> tensor<8x512xf32>
  return %0 : tensor<8x512xf32>
})";

TEST(SparsePatternTest, EachColumnOfARightMatrixHasOneToSixteenElements) {
  const auto inputs = DrawSparse(kDot);
  EXPECT_EQ(Nonzero(inputs[0]), inputs[0].size()) << "one factor is enough";
  const auto b = inputs[1].data<double>();
  std::set<int64_t> rows;
  for (size_t column = 0; column < 512; ++column) {
    int64_t count = 0;
    for (size_t k = 0; k < 1024; ++k) {
      if (b[k * 512 + column] == 0) continue;
      ++count;
      rows.insert(static_cast<int64_t>(k));
    }
    EXPECT_GE(count, 1) << column;
    EXPECT_LE(count, 16) << column;
  }
  EXPECT_EQ(rows.size(), 1024u) << "every place of a sum has its turn";
}

TEST(SparsePatternTest, TheEndsOfASumHaveElementsHoweverFewSumsThereAre) {
  const auto inputs = DrawSparse(R"(func.func @main(%a: tensor<1x3000xf32>, %b: tensor<3000x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x3000xf32>, tensor<3000x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  })",
                                 InputKind::kSparse, 3);
  EXPECT_NE(inputs[1].data<double>()[2999], 0);
  EXPECT_LE(Nonzero(inputs[1]), 16);
}

TEST(SparsePatternTest, PlacesAndValuesDependOnTheSeed) {
  const Tensor one = DrawSparse(kDot)[1];
  EXPECT_TRUE(std::ranges::equal(one.data<double>(), DrawSparse(kDot)[1].data<double>()));
  EXPECT_FALSE(std::ranges::equal(one.data<double>(), DrawSparse(kDot, InputKind::kSparse, 2)[1].data<double>()));
}

TEST(SparsePatternTest, SignificandsAreFull) {
  const Tensor b = DrawSparse(kDot)[1];
  int64_t full = 0;
  for (const double v : b.data<double>()) {
    // Counts numbers that need more than the 16 bits of two bf16.
    full += v != 0 && std::remainder(v, std::ldexp(1.0, std::ilogb(v) - 15)) != 0;
  }
  EXPECT_GT(full, Nonzero(b) * 9 / 10);
}

TEST(SparsePatternTest, TheFactorWithMoreSumsThanPlacesIsSparse) {
  const auto inputs =
      DrawSparse(R"(func.func @main(%a: tensor<600x1024xf32>, %b: tensor<1024x1xf32>) -> tensor<600x1xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<600x1024xf32>, tensor<1024x1xf32>) -> tensor<600x1xf32>
    return %0 : tensor<600x1xf32>
  })");
  EXPECT_LE(Nonzero(inputs[0]), 600 * 16);
  EXPECT_EQ(Nonzero(inputs[1]), 1024);
}

TEST(SparsePatternTest, TheFactorOfAConstantIsSparse) {
  const auto inputs = DrawSparse(R"(func.func @main(%a: tensor<2x64xf32>) -> tensor<2x64xf32> {
    %b = stablehlo.constant dense<1.5> : tensor<64x64xf32>
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
    return %0 : tensor<2x64xf32>
  })");
  EXPECT_LE(Nonzero(inputs[0]), 32);
}

TEST(SparsePatternTest, AProductOfAMatrixWithItselfHasFewTerms) {
  const Tensor a = DrawSparse(R"(func.func @main(%a: tensor<32x1024xf32>) -> tensor<32x32xf32> {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  })")[0];
  int64_t terms = 0;
  for (size_t i = 0; i < 32; ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (size_t k = 0; k < 1024; ++k) {
        terms += a.data<double>()[i * 1024 + k] != 0 && a.data<double>()[j * 1024 + k] != 0;
      }
    }
  }
  const double average = static_cast<double>(terms) / (31 * 16);
  EXPECT_GT(average, 1);
  EXPECT_LT(average, 16);
}

TEST(SparsePatternTest, SumsBehindAReshapeAndACallAreFound) {
  const auto inputs = DrawSparse(R"(
  func.func @main(%a: tensor<65536xf32>, %b: tensor<64x1024xf32>) -> tensor<64x64xf32> {
    %0 = stablehlo.reshape %a : (tensor<65536xf32>) -> tensor<1024x64xf32>
    %1 = func.call @f(%b, %0) : (tensor<64x1024xf32>, tensor<1024x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
  func.func private @f(%a: tensor<64x1024xf32>, %b: tensor<1024x64xf32>) -> tensor<64x64xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, tensor<1024x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  })");
  EXPECT_LE(Nonzero(inputs[0]), 64 * 3);
  EXPECT_GE(Nonzero(inputs[0]), 64);
  EXPECT_EQ(Nonzero(inputs[1]), inputs[1].size());
}

TEST(SparsePatternTest, AKernelHasFewElementsPerOutputFeature) {
  const auto inputs =
      DrawSparse(R"(func.func @main(%a: tensor<1x8x8x64xf32>, %k: tensor<3x3x64x512xf32>) -> tensor<1x6x6x512xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x64xf32>, tensor<3x3x64x512xf32>) -> tensor<1x6x6x512xf32>
    return %0 : tensor<1x6x6x512xf32>
  })");
  EXPECT_EQ(Nonzero(inputs[0]), inputs[0].size());
  std::vector<int64_t> of_feature(512);
  std::set<int64_t> places;
  for (int64_t i = 0; i < inputs[1].size(); ++i) {
    if (inputs[1].data<double>()[static_cast<size_t>(i)] == 0) continue;
    ++of_feature[static_cast<size_t>(i % 512)];
    places.insert(i / 512);
  }
  EXPECT_GE(std::ranges::min(of_feature), 1);
  EXPECT_LE(std::ranges::max(of_feature), 16);
  EXPECT_EQ(places.size(), 576u);
}

// The kernel is a constant, so the image is sparse. Windows overlap, and each covers up to four blocks.
TEST(SparsePatternTest, WindowsOfASparseImageHaveFewElements) {
  const Tensor a = DrawSparse(R"(func.func @main(%a: tensor<1x16x16x8xf32>) -> tensor<1x14x14x4xf32> {
    %k = stablehlo.constant dense<1.5> : tensor<3x3x8x4xf32>
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x16x8xf32>, tensor<3x3x8x4xf32>) -> tensor<1x14x14x4xf32>
    return %0 : tensor<1x14x14x4xf32>
  })")[0];
  int64_t most = 0;
  int64_t sum = 0;
  for (size_t y = 0; y < 14; ++y) {
    for (size_t x = 0; x < 14; ++x) {
      int64_t count = 0;
      for (size_t i = 0; i < 72; ++i) {
        count += a.data<double>()[((y + i / 24) * 16 + x + i / 8 % 3) * 8 + i % 8] != 0;
      }
      most = std::max(most, count);
      sum += count;
    }
  }
  EXPECT_LE(most, 12);
  EXPECT_GT(sum, 14 * 14);
}

TEST(SparsePatternTest, RowsThatAreAddedUpHaveFewElements) {
  const std::string text = R"(func.func @main(%a: tensor<640x1000xf32>, %z: tensor<f32>) -> tensor<640xf32> {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<640x1000xf32>, tensor<f32>) -> tensor<640xf32>
    return %0 : tensor<640xf32>
  })";
  EXPECT_LE(Nonzero(DrawSparse(text)[0]), 640 * 16);
  std::string greatest = text;
  greatest.replace(greatest.find("stablehlo.add"), 13, "stablehlo.maximum");
  EXPECT_EQ(Nonzero(DrawSparse(greatest)[0]), 640000) << "an extremum is no sum";
}

TEST(SparsePatternTest, AWindowAsLongAsTheTensorHasFewElements) {
  const Tensor a = DrawSparse(R"(func.func @main(%a: tensor<400x512xf32>, %z: tensor<f32>) -> tensor<400x512xf32> {
    %0 = "stablehlo.reduce_window"(%a, %z) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {window_dimensions = array<i64: 1, 512>, padding = dense<[[0, 0], [511, 0]]> : tensor<2x2xi64>} : (tensor<400x512xf32>, tensor<f32>) -> tensor<400x512xf32>
    return %0 : tensor<400x512xf32>
  })")[0];
  EXPECT_LE(Nonzero(a), 400 * 16);
  EXPECT_GE(Nonzero(a), 400);
}

TEST(SparsePatternTest, FewUpdatesToOnePlaceAreNonzero) {
  const auto inputs = DrawSparse(
      R"(func.func @main(%a: tensor<10xf32>, %i: tensor<5000x1xi64>, %u: tensor<5000xf32>) -> tensor<10xf32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<10xf32>, tensor<5000x1xi64>, tensor<5000xf32>) -> tensor<10xf32>
    return %0 : tensor<10xf32>
  })");
  EXPECT_EQ(Nonzero(inputs[0]), 10);
  EXPECT_LE(Nonzero(inputs[2]), 10 * 16);
  EXPECT_GE(Nonzero(inputs[2]), 10);
}

TEST(SparsePatternTest, BatchMomentsHaveFewTerms) {
  const auto inputs =
      DrawSparse(R"(func.func @main(%a: tensor<16x16x8xf32>, %s: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
    %0:3 = "stablehlo.batch_norm_training"(%a, %s, %o) {epsilon = 0.001 : f32, feature_index = 2 : i64} : (tensor<16x16x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<16x16x8xf32>, tensor<8xf32>, tensor<8xf32>)
    return %0#1 : tensor<8xf32>
  })");
  EXPECT_LE(Nonzero(inputs[0]), 8 * 16);
  EXPECT_EQ(Nonzero(inputs[1]), 8);
}

TEST(SparsePatternTest, ElementsThatAreNotAddedUpAreDrawnAsForDomain) {
  for (const char* op : {"tanh", "log", "rsqrt"}) {
    const std::string text =
        std::string("func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {\n  %0 = stablehlo.") + op +
        " %a : tensor<100xf32>\n  return %0 : tensor<100xf32>\n}";
    EXPECT_TRUE(
        std::ranges::equal(DrawSparse(text)[0].data<double>(), DrawSparse(text, InputKind::kDomain)[0].data<double>()));
  }
}

// Divisors and arguments of logarithms must not be zero.
TEST(SparsePatternTest, ElementsThatMustNotBeZeroAreNot) {
  const Tensor a =
      DrawSparse(R"(func.func @main(%a: tensor<64x100xf32>, %z: tensor<f32>) -> (tensor<64xf32>, tensor<64x100xf32>) {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x100xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.log %a : tensor<64x100xf32>
    return %0, %1 : tensor<64xf32>, tensor<64x100xf32>
  })")[0];
  EXPECT_EQ(Nonzero(a), a.size());
}

}  // namespace
}  // namespace opbyop::reference
