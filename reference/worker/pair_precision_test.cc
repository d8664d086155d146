// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The second criterion of a comparison, in programs of several ops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "reference/worker/reference_worker_fixture.h"

namespace opbyop::reference {
namespace {

using protocol::Reply;

// An op, a product of 2,048 terms and another op, as a device computes them in f32.
class PairPrecisionTest : public ReferenceWorkerTest {
 protected:
  using Function = std::function<double(double)>;
  static constexpr int64_t kTerms = 2048;

  struct Step {
    const char* op;
    Function device;
  };
  // `factor`: how the device rounds the factors of the product.
  void RunOn(const Step& before, const Step& behind, const Function& factor) {
    Program(fmt::format(R"(func.func @main(%a: tensor<4x2048xf32>, %b: tensor<2048x4xf32>) -> tensor<4x4xf32> {{
      %0 = stablehlo.{} %a : tensor<4x2048xf32>
      %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<4x2048xf32>, tensor<2048x4xf32>) -> tensor<4x4xf32>
      %2 = stablehlo.{} %1 : tensor<4x4xf32>
      return %2 : tensor<4x4xf32>
    }})",
                        before.op, behind.op));
    op_ = "window";
    ASSERT_EQ(Ask(worker_, "inputs").status, Status::kPass);
    const Tensor a = Read("input_0.npy", ElementType::kF32), b = Read("input_1.npy", ElementType::kF32);
    Tensor product = Tensor::Zeros(ElementType::kF32, {4, 4});
    for (size_t i = 0; i < 16; ++i) {
      float sum = 0;
      for (size_t p = 0; p < kTerms; ++p) {
        const auto left = static_cast<float>(before.device(a.data<double>()[i / 4 * kTerms + p]));
        sum += static_cast<float>(factor(left) * factor(b.data<double>()[p * 4 + i % 4]));
      }
      product.Mutable<double>()[i] = static_cast<float>(behind.device(sum));
    }
    Write("output_0.npy", product);
  }

  static double InF32(double v) { return v; }
  static double InTf32(double v) {
    return v == 0 ? v : std::round(std::ldexp(v, 10 - std::ilogb(v))) * std::ldexp(1.0, std::ilogb(v) - 10);
  }
  // Two units too large, which a sine of f32 may be.
  static double LargeSine(double v) {
    return std::nextafter(std::nextafter(static_cast<float>(std::sin(v)), 2.0F), 2.0F);
  }

  const Step kNegate = {"negate", [](double v) { return -v; }};
  const Step kSine = {"sine", [](double v) { return std::sin(v); }};
  ReferenceWorker worker_;
};

TEST_F(PairPrecisionTest, AnImpreciseSumIsFoundBehindAnotherOp) {
  RunOn(kNegate, kSine, InTf32);
  const Reply imprecise = Ask(worker_, "compare");
  EXPECT_EQ(imprecise.status, Status::kImprecise) << imprecise.diagnostic;
  arithmetic_.precision = {{"dot_general", "tf32"}};
  const Reply declared = Ask(worker_, "compare");
  EXPECT_EQ(declared.status, Status::kPass) << declared.diagnostic;
}

TEST_F(PairPrecisionTest, AnImpreciseSumOfInexactOperandsIsFound) {
  RunOn(kSine, kNegate, InTf32);
  const Reply imprecise = Ask(worker_, "compare");
  EXPECT_EQ(imprecise.status, Status::kImprecise) << imprecise.diagnostic;
  arithmetic_.precision = {{"dot_general", "tf32"}};
  EXPECT_EQ(Ask(worker_, "compare").status, Status::kPass);
}

TEST_F(PairPrecisionTest, ARightDeviceIsPrecise) {
  RunOn(kSine, kSine, InF32);
  const Reply right = Ask(worker_, "compare");
  EXPECT_EQ(right.status, Status::kPass) << right.diagnostic;
}

TEST_F(PairPrecisionTest, FunctionsMayHaveErrorsOfOneSign) {
  const Step large = {"sine", LargeSine};
  RunOn(large, large, InF32);
  const Reply right = Ask(worker_, "compare");
  EXPECT_EQ(right.status, Status::kPass) << right.diagnostic;
}

TEST_F(PairPrecisionTest, OnInputsThatAreNotDrawnAtRandomOnlyTheBoundDecides) {
  RunOn(kNegate, kSine, InTf32);
  EXPECT_EQ(Ask(worker_, "compare", "edge").status, Status::kPass);
}

// Sums of 64 products of bf16 each, which a device may leave unrounded if its target declares so.
class ExcessPrecisionRatioTest : public ReferenceWorkerTest {
 protected:
  static constexpr size_t kSums = 16, kTerms = 64;

  // `rounded`: how the device rounds a sum.
  Reply RunOn(const std::function<double(double)>& rounded) {
    Program(R"(func.func @main(%a: tensor<16x64xbf16>, %b: tensor<16x64xbf16>) -> tensor<16xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.multiply %a, %b : tensor<16x64xbf16>
      %1 = stablehlo.convert %0 : (tensor<16x64xbf16>) -> tensor<16x64xf32>
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<16x64xf32>, tensor<f32>) -> tensor<16xf32>
      return %2 : tensor<16xf32>
    })");
    op_ = "window";
    arithmetic_.excess_precision = true;
    EXPECT_EQ(Ask(worker_, "inputs").status, Status::kPass);
    const Tensor a = Read("input_0.npy", ElementType::kBf16), b = Read("input_1.npy", ElementType::kBf16);
    Tensor sums = Tensor::Zeros(ElementType::kF32, {kSums});
    for (size_t i = 0; i < kSums; ++i) {
      float sum = 0;
      for (size_t p = i * kTerms; p < (i + 1) * kTerms; ++p) {
        sum += static_cast<float>(a.data<double>()[p] * b.data<double>()[p]);
      }
      sums.Mutable<double>()[i] = rounded(sum);
    }
    Write("output_0.npy", sums);
    return Ask(worker_, "compare");
  }

  ReferenceWorker worker_;
};

TEST_F(ExcessPrecisionRatioTest, TermsThatMayStayUnroundedAreNotImprecise) {
  const Reply right = RunOn([](double sum) { return sum; });
  EXPECT_EQ(right.status, Status::kPass) << right.diagnostic;
}

TEST_F(ExcessPrecisionRatioTest, SumsThatNoRoundingOfTheTermsExplainsAreWrong) {
  const Reply wrong = RunOn([](double sum) { return std::round(2 * sum) / 2; });
  EXPECT_EQ(wrong.status, Status::kFail) << wrong.diagnostic;
}

}  // namespace
}  // namespace opbyop::reference
