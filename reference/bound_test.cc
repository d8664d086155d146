#include "reference/bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/evaluator.h"

namespace opbyop {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Tensor Evaluate(const std::string& text, std::vector<Tensor> arguments) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  Evaluator evaluator(module->get(), {.bounds = true});
  Expected<Values> results = evaluator.Call("main", Values(arguments.begin(), arguments.end()));
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return (*results)[0].tensor();
}

Tensor F32(Shape shape, const std::vector<double>& values) { return Tensor::Of(ElementType::kF32, shape, values); }

const char* kSum = R"(func.func @main(%a: tensor<4x3xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";

TEST(BoundTest, NanAndInfinityAmongTheTermsOfASumMustStay) {
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

TEST(BoundTest, ProductsDependOnTheOrderOnlyWhereAPartialOneLeavesTheRange) {
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

TEST(BoundTest, ANanInAProductOfMatricesStays) {
  const Tensor out = Evaluate(R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })",
                              {F32({2, 2}, {kNan, 1, 2, 3}), F32({2, 2}, {1, 2, 3, 4})});
  EXPECT_TRUE(std::isnan(out.data<double>()[0]));
  for (const double bound : out.bounds()) EXPECT_TRUE(std::isfinite(bound));
}

// Row 2 divides by 1e-3: its solution may be wrong by the error of row 1 over that.
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

TEST(BoundTest, CholeskyOfANearlySingularMatrixAllowsMoreThanOfAGoodOne) {
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

}  // namespace
}  // namespace opbyop
