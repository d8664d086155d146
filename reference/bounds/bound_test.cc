// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/bounds/precision_ratio.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

Tensor Evaluate(const std::string& text, std::vector<Tensor> arguments, EvalOptions options = {}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  options.bounds = true;
  Evaluator evaluator(module->get(), options);
  Expected<Values> results = evaluator.Call("main", Values(arguments.begin(), arguments.end()));
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return (*results)[0].tensor();
}

const char* kSum = R"(func.func @main(%a: tensor<4x3xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";

TEST(BoundTest, NanAndInfinityAmongTheTermsOfASumMustReachTheResult) {
  const Tensor sum = Evaluate(kSum, {F32({4, 3}, {1, kNan, 2, 1, kInf, 2, kInf, -kInf, 1, 1, 2, 3})});
  for (const double bound : sum.bounds()) EXPECT_TRUE(std::isfinite(bound));
  EXPECT_TRUE(std::isnan(sum.data<double>()[0]));
  EXPECT_TRUE(std::isnan(sum.data<double>()[2]));
}

TEST(BoundTest, PartialSumsThatMayOverflowAllowAnything) {
  const Tensor sum = Evaluate(kSum, {F32({4, 3}, {3e38, 3e38, -3e38, 1, 2, 3, 1, 2, 3, 1, 2, 3})});
  EXPECT_EQ(sum.bounds()[0], kInf);
  EXPECT_LT(sum.bounds()[1], 1e-5);
}

TEST(BoundTest, ProductsDependOnTheOrderOnlyIfAPartialProductLeavesTheRange) {
  const Tensor product = Evaluate(R"(func.func @main(%a: tensor<4x3xf32>) -> tensor<4xf32> {
    %z = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                                  {F32({4, 3}, {2, 3, 4, 1e30, 1e30, 1e-30, kNan, 1e30, 1e30, 0, 2, 3})});
  EXPECT_LT(product.bounds()[0], 1e-4);
  EXPECT_EQ(product.bounds()[1], kInf);
  EXPECT_TRUE(std::isfinite(product.bounds()[2]));
  EXPECT_TRUE(std::isfinite(product.bounds()[3]));
}

TEST(BoundTest, SubnormalProductsMayEachBeRounded) {
  const Tensor out = Evaluate(R"(func.func @main(%a: tensor<1x2xf32>, %b: tensor<2x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  })",
                              {F32({1, 2}, {0x1.8p-75F, 0x1.8p-75F}), F32({2, 1}, {0x1p-74F, 0x1p-74F})});
  // Both products are ties between the smallest subnormal number and twice that.
  EXPECT_EQ(out.data<double>()[0], 3 * 0x1p-149);
  EXPECT_GE(out.bounds()[0], 0x1p-149);
}

// The product of a row and a column of `n` numbers of this type.
std::string ProductOf(size_t n, std::string_view type) {
  return fmt::format(R"(func.func @main(%a: tensor<1x{0}x{1}>, %b: tensor<{0}x1x{1}>) -> tensor<1x1x{1}> {{
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x{0}x{1}>, tensor<{0}x1x{1}>) -> tensor<1x1x{1}>
    return %0 : tensor<1x1x{1}>
  }})",
                     n, type);
}

// One product of n random numbers, by devices that each have a part of the sum.
struct DividedProduct {
  std::vector<double> terms;
  Tensor row, column;

  DividedProduct(size_t n, ElementType type, uint64_t seed)
      : row(Tensor::Make(type, {1, static_cast<int64_t>(n)})),
        column(Tensor::Make(type, {static_cast<int64_t>(n), 1})) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> numbers(-1, 1);
    for (size_t i = 0; i < n; ++i) {
      row.Mutable<double>()[i] = RoundTo(FormatOf(type), numbers(random));
      column.Mutable<double>()[i] = RoundTo(FormatOf(type), numbers(random));
      terms.push_back(row.data<double>()[i] * column.data<double>()[i]);
    }
  }

  // Each part is rounded, and so is each sum of parts.
  double AddedUp(size_t parts) const {
    const FloatFormat& format = FormatOf(row.type());
    const size_t size = terms.size() / parts;
    double sum = 0;
    for (size_t part = 0; part < parts; ++part) {
      const auto begin = terms.begin() + static_cast<std::ptrdiff_t>(part * size);
      const double own = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(size), 0.0);
      sum = RoundTo(format, sum + RoundTo(format, own));
    }
    return sum;
  }

  // The error of that sum as a share of its bound if `allowed` parts may be rounded.
  double Share(size_t parts, int64_t allowed) const {
    const Tensor expected =
        Evaluate(ProductOf(terms.size(), NameOf(row.type())), {row, column}, {.product_parts = allowed});
    return std::abs(AddedUp(parts) - expected.data<double>()[0]) / expected.bounds()[0];
  }
};

TEST(BoundTest, PartsOfAProductMayBeRoundedAndAddedUpInTheTypeOfTheResult) {
  for (const ElementType type : {ElementType::kBf16, ElementType::kF16, ElementType::kF8E4M3}) {
    for (const size_t parts : {2, 4, 8}) {
      double with = 0, without = 0;
      for (uint64_t seed = 0; seed < 40; ++seed) {
        const DividedProduct product(64, type, seed);
        with = std::max(with, product.Share(parts, static_cast<int64_t>(parts)));
        without = std::max(without, product.Share(parts, 1));
      }
      EXPECT_LE(with, 1) << NameOf(type) << " in " << parts;
      EXPECT_GT(without, 1) << NameOf(type) << " in " << parts;
    }
  }
}

TEST(BoundTest, APartThatIsLeftOutExceedsTheBoundOfRoundedParts) {
  int found = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    DividedProduct product(64, ElementType::kBf16, seed);
    std::fill_n(product.terms.begin(), 8, 0.0);
    found += product.Share(8, 8) > 1;
  }
  EXPECT_GE(found, 15);  // the other parts are too near to zero
}

// The worst case of eight parts of 512 terms exceeds a part, what rounding is likely to do does not.
TEST(BoundTest, APartOfALongSumThatIsLeftOutIsImprecise) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    DividedProduct product(4096, ElementType::kBf16, seed);
    const Tensor expected =
        Evaluate(ProductOf(4096, "bf16"), {product.row, product.column}, {.deviations = true, .product_parts = 8});
    const auto ratio = [&] {
      Tensor sum = Tensor::Make(ElementType::kBf16, {1, 1});
      sum.Mutable<double>()[0] = product.AddedUp(8);
      return PrecisionRatio(expected, TensorToBytes(sum));
    };
    EXPECT_LT(ratio(), 1) << seed;
    const double part = std::accumulate(product.terms.begin(), product.terms.begin() + 512, 0.0);
    std::fill_n(product.terms.begin(), 512, 0.0);
    if (std::abs(part) > 5) EXPECT_GT(ratio(), 1) << seed;
  }
}

TEST(BoundTest, PartsAddNothingToAProductOfTheTypeOfItsPartialSums) {
  const DividedProduct product(64, ElementType::kF32, 1);
  EXPECT_EQ(product.Share(8, 8), product.Share(8, 1));
}

TEST(BoundTest, AProductOfOneNonzeroTermHasOnePart) {
  DividedProduct product(64, ElementType::kBf16, 1);
  std::fill_n(product.row.Mutable<double>().begin() + 1, 63, 0.0);
  const auto bound = [&](int64_t parts) {
    return Evaluate(ProductOf(64, "bf16"), {product.row, product.column}, {.product_parts = parts}).bounds()[0];
  };
  EXPECT_EQ(bound(8), bound(1));
}

TEST(BoundTest, APartBeyondTheGreatestNumberAllowsAnything) {
  Tensor row = Tensor::Make(ElementType::kF16, {1, 4}), ones = Tensor::Make(ElementType::kF16, {4, 1});
  std::ranges::copy(std::vector<double>{60000, 60000, -60000, -60000}, row.Mutable<double>().begin());
  std::ranges::fill(ones.Mutable<double>(), 1.0);
  const auto bound = [&](int64_t parts) {
    return Evaluate(ProductOf(4, "f16"), {row, ones}, {.product_parts = parts}).bounds()[0];
  };
  EXPECT_EQ(bound(2), kInf);
  EXPECT_LT(bound(1), 1);
}

// Integers whose sums have more digits than the type.
TEST(BoundTest, PartsOfIntegersAreExactWhileTheTypeHasThem) {
  const auto bound = [](double factor) {
    Tensor row = Tensor::Make(ElementType::kBf16, {1, 4}), column = Tensor::Make(ElementType::kBf16, {4, 1});
    std::ranges::fill(row.Mutable<double>(), factor);
    std::ranges::fill(column.Mutable<double>(), factor);
    return Evaluate(ProductOf(4, "bf16"), {row, column}, {.exact_integers = true, .product_parts = 2}).bounds()[0];
  };
  EXPECT_EQ(bound(8), 0);
  EXPECT_GT(bound(9), 0);
}

TEST(BoundTest, ALargeExponentWidensTheBoundOfAComplexPower) {
  const auto power = [](double modulus) {
    Tensor z = Tensor::Make(ElementType::kC128, {1}), w = Tensor::Make(ElementType::kC128, {1});
    z.Mutable<Complex>()[0] = modulus;
    w.Mutable<Complex>()[0] = {0, 1};
    const Tensor out =
        Evaluate(R"(func.func @main(%z: tensor<1xcomplex<f64>>, %w: tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>> {
    %0 = stablehlo.power %z, %w : tensor<1xcomplex<f64>>
    return %0 : tensor<1xcomplex<f64>>
  })",
                 {z, w});
    return out.bounds()[0];
  };
  EXPECT_LT(power(2), 100 * 0x1p-52);
  EXPECT_GT(power(1e-200), 450 * 0x1p-52);
}

TEST(BoundTest, AComplexAtan2NextToItsCutMayBeOnEitherSide) {
  const auto atan2 = [](Complex y, Complex x) {
    Tensor a = Tensor::Make(ElementType::kC128, {1}), b = Tensor::Make(ElementType::kC128, {1});
    a.Mutable<Complex>()[0] = y;
    b.Mutable<Complex>()[0] = x;
    const Tensor out =
        Evaluate(R"(func.func @main(%y: tensor<1xcomplex<f64>>, %x: tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>> {
    %0 = stablehlo.atan2 %y, %x : tensor<1xcomplex<f64>>
    return %0 : tensor<1xcomplex<f64>>
  })",
                 {a, b});
    return out.bounds()[0];
  };
  EXPECT_GT(atan2({-5e-14, 2e-308}, {-1e-55, 10.7}), 6);
  EXPECT_LT(atan2({1, 1}, {2, 1}), 1e-13);
}

std::string ScatterInOnePlace(const std::string& op) {
  return R"(func.func @main(%a: tensor<2xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      )" +
         op + R"(
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })";
}

// The specification leaves the order of the updates open.
TEST(BoundTest, IfSeveralUpdatesStoreInOnePlaceAnyMayBeTheLast) {
  const std::string store = ScatterInOnePlace("stablehlo.return %y : tensor<f32>");
  const Tensor both = Tensor::Zeros(ElementType::kI64, {2, 1});
  const Tensor out = Evaluate(store, {F32({2}, {1, 2}), both, F32({2}, {3, 4})});
  EXPECT_EQ(out.bounds()[0], kInf);
  EXPECT_EQ(out.bounds()[1], 0);
  EXPECT_TRUE(Evaluate(store, {F32({2}, {1, 2}), both, F32({2}, {3, 3})}).bounds().empty()) << "all the same";
}

TEST(BoundTest, AnElementLeftOpenByTheOrderStaysOpenInAMatrixProduct) {
  const Tensor out =
      Evaluate(R"(func.func @main(%a: tensor<2xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) -> tensor<f32> {
    %0 = stablehlo.maximum %a, %a : tensor<2xf32>
    %1 = "stablehlo.scatter"(%0, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.dot_general %1, %a, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  })",
               {F32({2}, {1, 2}), Tensor::Zeros(ElementType::kI64, {2, 1}), F32({2}, {3, 4})});
  EXPECT_EQ(out.bounds()[0], kInf);
}

TEST(BoundTest, UpdatesThatARegionCombinesInAnyOrderAreBoundedByThatOrder) {
  const std::string difference =
      ScatterInOnePlace("%d = stablehlo.subtract %x, %y : tensor<f32>\n stablehlo.return %d : tensor<f32>");
  const Tensor both = Tensor::Zeros(ElementType::kI64, {2, 1});
  const Tensor out = Evaluate(difference, {F32({2}, {1, 2}), both, F32({2}, {-0x1.8p-24F, -0x1p-24F})});
  ASSERT_FALSE(out.bounds().empty());
  EXPECT_EQ(out.bounds()[0], 0x1p-23);
}

TEST(BoundTest, ScatteredFactorsWhoseProductMayUnderflowAllowAnything) {
  const std::string product =
      ScatterInOnePlace("%d = stablehlo.multiply %x, %y : tensor<f32>\n stablehlo.return %d : tensor<f32>");
  const Tensor both = Tensor::Zeros(ElementType::kI64, {2, 1});
  const Tensor out = Evaluate(product, {F32({2}, {0x1p-100F, 1}), both, F32({2}, {0x1p-40F, 0x1p100F})});
  EXPECT_EQ(out.bounds()[0], kInf);
}

TEST(BoundTest, ANanInAMatrixProductReachesTheResult) {
  const Tensor out = Evaluate(R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })",
                              {F32({2, 2}, {kNan, 1, 2, 3}), F32({2, 2}, {1, 2, 3, 4})});
  EXPECT_TRUE(std::isnan(out.data<double>()[0]));
  for (const double bound : out.bounds()) EXPECT_TRUE(std::isfinite(bound));
}

// Row 2 divides by 1e-3, so its solution may be wrong by the error of row 1 divided by 1e-3.
TEST(BoundTest, TriangularSolveGrowsWithTheConditionOfTheRowsAbove) {
  const Tensor x = Evaluate(R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  })",
                            {F32({2, 2}, {1, 0, 1, 1e-3F}), F32({2, 1}, {1, 2})});
  EXPECT_GT(x.bounds()[0], 0x1p-24);
  EXPECT_LT(x.bounds()[0], 0x1p-20);
  EXPECT_GT(x.bounds()[1], 500 * x.bounds()[0]);
  EXPECT_LT(x.bounds()[1], 0x1p-20 * 1e4);
}

TEST(BoundTest, CholeskyOfANearlySingularMatrixHasAWiderBound) {
  const char* program = R"(func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })";
  const Tensor good = Evaluate(program, {F32({2, 2}, {2, 1, 1, 2})});
  const Tensor bad = Evaluate(program, {F32({2, 2}, {1, 0.999F, 0.999F, 1})});
  EXPECT_LT(good.bounds()[3], 0x1p-19);
  EXPECT_GT(bad.bounds()[3], 10 * good.bounds()[3]);
  EXPECT_LT(bad.bounds()[3], 1e-2);
}

TEST(BoundTest, FftIsBoundedByTheNormOfItsOwnTransform) {
  const Tensor out = Evaluate(R"(func.func @main(%a: tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    return %0 : tensor<2x4xcomplex<f32>>
  })",
                              {Tensor::Of<Complex>(ElementType::kC64, {2, 4}, {1, 1, 1, 1, 1000, 1000, 1000, 1000})});
  EXPECT_LT(out.bounds()[1], 1e-5);
  EXPECT_GT(out.bounds()[5], 100 * out.bounds()[1]);
}

// `at`: the results of @main for operands with bounds `errors`. `moved`: the results for operands moved by as much.
struct MovedResults {
  std::vector<Tensor> at, moved;
};
MovedResults EvaluateMoved(const std::string& text, const std::vector<Tensor>& arguments, double error,
                           uint32_t pattern) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  Values inexact;
  Values moved;
  uint32_t bits = pattern;
  for (const Tensor& argument : arguments) {
    Tensor t = argument;
    auto bound = MakeBound(t.size(), "test", 1);
    std::ranges::fill(MutableSpan(*bound), error);
    t.set_bound(bound);
    inexact.emplace_back(t);
    Tensor m = argument;
    for (double& v : m.Mutable<double>()) {
      bits = bits * 1664525 + 1013904223;
      v = static_cast<float>(v + (bits >> 31 ? 0.99 : -0.99) * error);
    }
    moved.emplace_back(std::move(m));
  }
  MovedResults out;
  const auto run = [&](Values values, std::vector<Tensor>& to) {
    Evaluator evaluator(module->get(), {.bounds = true});
    Expected<Values> results = evaluator.Call("main", std::move(values));
    ASSERT_TRUE(results.has_value()) << (results ? "" : results.error().message);
    for (const Value& value : *results) to.push_back(value.tensor());
  };
  run(std::move(inexact), out.at);
  run(std::move(moved), out.moved);
  return out;
}

const char* const kBatchNorms[] = {
    R"(func.func @main(%x: tensor<4x2x3xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<4x2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
})",
    R"(func.func @main(%x: tensor<4x2x3xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>) -> (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>
})",
    R"(func.func @main(%x: tensor<4x2x3xf32>, %s: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>, %g: tensor<4x2x3xf32>) -> (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4x2x3xf32>) -> (tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x2x3xf32>, tensor<2xf32>, tensor<2xf32>
})"};

TEST(BoundTest, BatchNormMovesNoFurtherThanItsOperandsAllow) {
  const auto wave = [](Shape shape, double low, double high) {
    Tensor t = Tensor::Make(ElementType::kF32, std::move(shape));
    double phase = 0;
    for (double& v : t.Mutable<double>())
      v = static_cast<float>(low + (high - low) * (0.5 + 0.5 * std::sin(phase += 1.7)));
    return t;
  };
  const Tensor x = wave({4, 2, 3}, -2, 2), g = wave({4, 2, 3}, -1, 1);
  const Tensor s = wave({2}, -1.5, 1.5), o = wave({2}, -1, 1), m = wave({2}, -0.5, 0.5), v = wave({2}, 0.3, 1.5);
  const std::vector<std::vector<Tensor>> arguments = {{x, s, o, m, v}, {x, s, o}, {x, s, m, v, g}};
  for (size_t op = 0; op < arguments.size(); ++op) {
    for (const double error : {1e-5, 1e-2, 0.1}) {
      double closest = 0;
      for (uint32_t pattern = 0; pattern < 40; ++pattern) {
        const MovedResults results = EvaluateMoved(kBatchNorms[op], arguments[op], error, pattern);
        ASSERT_EQ(results.at.size(), results.moved.size());
        for (size_t r = 0; r < results.at.size(); ++r) {
          for (size_t i = 0; i < static_cast<size_t>(results.at[r].size()); ++i) {
            const double bound = results.at[r].bounds()[i];
            const double difference = std::fabs(results.at[r].data<double>()[i] - results.moved[r].data<double>()[i]);
            ASSERT_TRUE(std::isfinite(bound)) << op << " " << error;
            ASSERT_LE(difference, bound) << "op " << op << " error " << error << " result " << r << " element " << i;
            closest = std::max(closest, difference / bound);
          }
        }
      }
      EXPECT_GT(closest, 0.2) << "the bound of op " << op << " says little at " << error;
    }
  }
}

TEST(BoundTest, BatchNormWhoseVarianceMayVanishAllowsAnything) {
  const Tensor x = F32({4, 2, 3}, std::vector<double>(24, 1.0)), one = F32({2}, {1, 1}), tiny = F32({2}, {1e-3, 1});
  const MovedResults results = EvaluateMoved(kBatchNorms[0], {x, one, one, one, tiny}, 1e-2, 0);
  EXPECT_EQ(results.at[0].bounds()[0], kInf);
  EXPECT_TRUE(std::isfinite(results.at[0].bounds()[3]));
}

TEST(BoundTest, BatchNormThatMayOverflowAllowsAnythingButKeepsNan) {
  Tensor x = F32({4, 2, 3}, std::vector<double>(24, 1.0));
  x.Mutable<double>()[0] = 3e38;
  x.Mutable<double>()[3] = kNan;
  const Tensor one = F32({2}, {1, 1}), zero = F32({2}, {0, 0});
  const MovedResults results = EvaluateMoved(kBatchNorms[1], {x, one, zero}, 0, 0);
  EXPECT_EQ(results.at[0].bounds()[0], kInf);
  EXPECT_EQ(results.at[2].bounds()[0], kInf);
  EXPECT_TRUE(std::isnan(results.at[0].data<double>()[3]));
  EXPECT_EQ(results.at[0].bounds()[3], 0);
  EXPECT_EQ(results.at[1].bounds()[1], 0);
}

// A device may compute (x - mean) * factor + offset as x * factor + (offset - mean * factor). If the sum in brackets is
// subnormal, it may flush it to zero.
TEST(BoundTest, BatchNormMayFlushASubnormalIntermediateSum) {
  const double normal = 0x1p-126;
  const Tensor x = F32({4, 2, 3}, std::vector<double>(24, 2.0)), one = F32({2}, {1, 1});
  const Tensor scale = F32({2}, {normal, normal}), offset = F32({2}, {1.5 * normal, 1.5 * normal});
  const MovedResults results = EvaluateMoved(kBatchNorms[0], {x, scale, offset, one, one}, 0, 0);
  EXPECT_GT(results.at[0].bounds()[0], 0.5 * normal);
  EXPECT_LT(results.at[0].bounds()[0], 10 * normal);
}

// Infinities of opposite signs stay infinite in one form of the formula. If a device flushes the factor to zero, the
// product is NaN.
TEST(BoundTest, BatchNormOfOppositeInfinitiesAndAVanishingFactorAllowsAnything) {
  Tensor x = F32({4, 2, 3}, std::vector<double>(24, 1.0));
  x.Mutable<double>()[0] = kInf;
  const Tensor one = F32({2}, {1, 1}), scale = F32({2}, {0x1p-126, 1}), mean = F32({2}, {-kInf, 1});
  const MovedResults results = EvaluateMoved(kBatchNorms[0], {x, scale, one, mean, one}, 0, 0);
  EXPECT_EQ(results.at[0].data<double>()[0], kInf);
  EXPECT_EQ(results.at[0].bounds()[0], kInf);
  EXPECT_TRUE(std::isfinite(results.at[0].bounds()[3]));
}

// A fused (1 + 2^-12)^2 - 1 keeps the last bit of the product.
TEST(BoundTest, AProductMayBeFusedWithTheSumThatUsesIt) {
  const char* text = R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
    %0 = stablehlo.multiply %a, %a : tensor<1xf32>
    %1 = stablehlo.add %0, %b : tensor<1xf32>
    return %1, %0 : tensor<1xf32>, tensor<1xf32>
  })";
  const double x = 1 + 0x1p-12;
  const Tensor sum = Evaluate(text, {F32({1}, {x}), F32({1}, {-1})});
  const double fused = std::fma(x, x, -1.0);
  EXPECT_NE(sum.data<double>()[0], fused);
  EXPECT_LE(std::fabs(sum.data<double>()[0] - fused), sum.bounds()[0]);
  EXPECT_LT(sum.bounds()[0], 0x1p-22);
}

TEST(BoundTest, AProductThatIsAResultIsStillBitExact) {
  const char* text = R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
    %0 = stablehlo.multiply %a, %a : tensor<1xf32>
    %1 = stablehlo.add %0, %b : tensor<1xf32>
    return %0, %1 : tensor<1xf32>, tensor<1xf32>
  })";
  const Tensor product = Evaluate(text, {F32({1}, {1 + 0x1p-12}), F32({1}, {-1})});
  EXPECT_GT(product.bounds()[0], 0);
  EXPECT_LT(product.bounds()[0], 0x1p-23);
  EXPECT_FALSE(product.bound()->zero_sign_free);
}

// In f64 an error e below one unit in the last place of x would be lost in x + e.
TEST(BoundTest, SmallErrorsOfDoublesAreNotLost) {
  const char* text = R"(func.func @main(%a: tensor<1xf64>, %b: tensor<1xf64>) -> tensor<1xf64> {
    %0 = stablehlo.multiply %a, %a : tensor<1xf64>
    %1 = stablehlo.subtract %0, %b : tensor<1xf64>
    return %1 : tensor<1xf64>
  })";
  const double x = 1 + 0x1p-30;
  const Tensor a = Tensor::Of<double>(ElementType::kF64, {1}, {x});
  const Tensor b = Tensor::Of<double>(ElementType::kF64, {1}, {1 + 0x1p-29});
  const Tensor out = Evaluate(text, {a, b});
  const double fused = std::fma(x, x, -(1 + 0x1p-29));
  EXPECT_NE(out.data<double>()[0], fused);
  EXPECT_LE(std::fabs(out.data<double>()[0] - fused), out.bounds()[0]);
}

// acos(1 + e) is NaN.
TEST(BoundTest, AnOperandThatMayLeaveTheDomainAllowsAnything) {
  Tensor x = F32({2}, {1, 0.5});
  auto bound = MakeBound(2, "test", 1);
  std::ranges::fill(MutableSpan(*bound), 0x1p-20);
  x.set_bound(bound);
  const Tensor out = Evaluate(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.acos %a : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                              {x});
  EXPECT_EQ(out.bounds()[0], kInf);
  EXPECT_LT(out.bounds()[1], 1e-4);
}

// Whether all sums have as many terms decides only how their bounds are set: in vectors, or one by one.
TEST(BoundTest, SumsOfEquallyManyTermsHaveTheBoundsOfSingleSums) {
  constexpr int64_t kSums = 5000;
  const CounterStream stream(7);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const ElementType type : {ElementType::kF32, ElementType::kBf16, ElementType::kF16, ElementType::kF8E4M3Fn}) {
    const FloatFormat& format = FormatOf(type);
    for (const bool odd : {false, true}) {
      std::vector<double> values(kSums), magnitudes(kSums);
      for (size_t i = 0; i < values.size(); ++i) {
        magnitudes[i] = i % 97 == 0 ? 0 : std::min(std::exp2(300 * stream.Unit(2 * i) - 160), format.max_finite / 4);
        values[i] = RoundTo(format, magnitudes[i] * (2 * stream.Unit(2 * i + 1) - 1));
      }
      if (odd) {
        for (const size_t i : {3, 2000, 4999}) values[i] = inf;
        values[2500] = nan;
        magnitudes[2600] = inf;
        magnitudes[2700] = 2 * format.max_finite;
        values[2800] = magnitudes[2800] = format.max_finite;
      }
      const auto bounds = [&](std::span<const double> terms_each) {
        Tensor t = Tensor::Of<double>(type, {kSums}, values);
        SetAccumulationBound(
            t,
            {.magnitudes = magnitudes, .terms = 300, .terms_each = terms_each, .unit = 0x1p-24, .underflow = 0x1p-149});
        return std::vector<double>(t.bounds().begin(), t.bounds().end());
      };
      EXPECT_EQ(bounds({}), bounds(std::vector<double>(kSums, 300.0))) << format.name << (odd ? ", odd sums" : "");
    }
  }
}

}  // namespace
}  // namespace opbyop::reference
