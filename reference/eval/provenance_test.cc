// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/provenance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::reference {
namespace {

class ProvenanceTest : public testing::Test {
 protected:
  // Returns the provenance of the first result of @main for these f32 operands.
  Provenance Of(const std::string& body, const std::vector<std::vector<double>>& operands) {
    module_ = *ReadModuleFromBytes(body, "test.mlir", context_);
    Evaluator evaluator(*module_, {.bounds = true, .provenance = true});
    Values arguments;
    for (const std::vector<double>& values : operands) {
      arguments.emplace_back(Tensor::Of(ElementType::kF32, {static_cast<int64_t>(values.size())}, values));
    }
    const Expected<Values> results = evaluator.Call("main", std::move(arguments));
    EXPECT_TRUE(results) << (results ? "" : results.error().message);
    return results ? (*results)[0].tensor().provenance() : Provenance();
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(ProvenanceTest, ADifferenceHasTheScaleOfItsOperands) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %x : tensor<2xf32>
    %1 = stablehlo.log %0 : tensor<2xf32>
    %2 = stablehlo.subtract %1, %x : tensor<2xf32>
    return %2 : tensor<2xf32>
  })",
                          {{1, -3}});
  EXPECT_NEAR(p.scale, 3, 0.01);
  EXPECT_FALSE(p.open);
}

TEST_F(ProvenanceTest, AMeanOfCenteredNumbersHasTheScaleOfTheNumbers) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<4.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.divide %0, %n : tensor<f32>
    return %1 : tensor<f32>
  })",
                          {{8, -8, 4, -4}});
  EXPECT_NEAR(p.scale, 2, 1e-6) << "the sum of numbers up to 8, divided";
}

TEST_F(ProvenanceTest, AProductHasItsOwnScale) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %x, %y : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                          {{100, 1}, {1, 100}});
  EXPECT_EQ(p.scale, 100);
}

TEST_F(ProvenanceTest, ValuesComputedFromRandomNumbersAreOpen) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.constant dense<1.0> : tensor<f32>
    %s = stablehlo.constant dense<4> : tensor<1xi64>
    %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %0 = stablehlo.add %x, %r : tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                          {{1, 2, 3, 4}});
  EXPECT_TRUE(p.open);
  EXPECT_TRUE(p.random);
}

TEST_F(ProvenanceTest, AnInexactDivisorThatIsZeroIsOpen) {
  const std::string program = R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %x : tensor<2xf32>
    %1 = stablehlo.subtract %0, %y : tensor<2xf32>
    %2 = stablehlo.divide %x, %1 : tensor<2xf32>
    return %2 : tensor<2xf32>
  })";
  const double e = static_cast<float>(std::exp(1.0));
  EXPECT_TRUE(Of(program, {{1, 2}, {e, 3}}).open);
  EXPECT_FALSE(Of(program, {{1, 2}, {std::nextafter(static_cast<float>(e), 3.0F), 3}}).open)
      << "may be zero, and is not";
}

TEST_F(ProvenanceTest, ATransformOfNanIsOpenWhateverTheBoundsOfItsOperandAre) {
  const double e = static_cast<float>(std::exp(1.0));
  const Provenance p = Of(R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %x : tensor<2xf32>
    %1 = stablehlo.subtract %0, %y : tensor<2xf32>
    %2 = stablehlo.divide %x, %1 : tensor<2xf32>
    %3 = stablehlo.convert %2 : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
    %4 = stablehlo.fft %3, type = FFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    %5 = stablehlo.imag %4 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  })",
                          {{1, std::nan("")}, {std::nextafter(static_cast<float>(e), 3.0F), 3}});
  EXPECT_TRUE(p.open);
}

TEST_F(ProvenanceTest, AnExactDivisorThatIsZeroIsNotOpen) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %x : tensor<2xf32>
    %1 = stablehlo.divide %0, %y : tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                          {{1, 2}, {0, 3}});
  EXPECT_FALSE(p.open);
}

// The order of a sum decides whether it overflows. The operand of the broadcast has fewer elements than its result, so a
// sanitizer finds who reads its error at a place of the result.
TEST_F(ProvenanceTest, WhatIsBroadcastOfAnOpenValueIsOpen) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<2048x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<2048x2xf32>) -> tensor<4096xf32>
    return %4 : tensor<4096xf32>
  })",
                          {{3e38, 3e38, 3e38, -3e38}});
  EXPECT_TRUE(p.open);
}

TEST_F(ProvenanceTest, ANumberOfAnInexactBooleanMayBeOne) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %x : tensor<2xf32>
    %1 = stablehlo.log %0 : tensor<2xf32>
    %2 = stablehlo.compare GT, %1, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %3 = stablehlo.convert %2 : (tensor<2xi1>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  })",
                          {{1, -3}});
  EXPECT_NEAR(p.scale, 1, 1e-6);
}

TEST_F(ProvenanceTest, ACompositeThatStandsForAnOpIsOpenWhereThatIs) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {
    %0:2 = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 2 : i64, largest = true},
        decomposition = @impl} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %0#0 : tensor<2xf32>
  }
  func.func private @impl(%x: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0, %1 = chlo.top_k(%x, k = 2) : tensor<3xf32> -> (tensor<2xf32>, tensor<2xi32>)
    return %0, %1 : tensor<2xf32>, tensor<2xi32>
  })",
                          {{1, std::nan(""), 2}});
  EXPECT_TRUE(p.open);
}

TEST_F(ProvenanceTest, ALoopHasTheProvenanceOfItsLastTrip) {
  const Provenance p = Of(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = stablehlo.while(%k = %i, %v = %x) : tensor<i32>, tensor<2xf32>
      cond {
        %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %k1 = stablehlo.add %k, %one : tensor<i32>
        %v1 = stablehlo.subtract %v, %x : tensor<2xf32>
        stablehlo.return %k1, %v1 : tensor<i32>, tensor<2xf32>
      }
    return %r#1 : tensor<2xf32>
  })",
                          {{5, 1}});
  EXPECT_EQ(p.scale, 5);
}

// The sum of the values of four devices, each of which has one.
constexpr char kSumOfDevices[] = R"(
  sdy.mesh @m = <["x"=4]>
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
        (%b: tensor<1xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%l: tensor<f32>, %r: tensor<f32>):
          %s = stablehlo.add %l, %r : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<1xf32>) -> tensor<1xf32>
      %2 = stablehlo.negate %1 : tensor<1xf32>
      sdy.return %2 : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })";

TEST_F(ProvenanceTest, ASumOfDevicesHasTheScaleOfWhatTheyBring) {
  const Provenance p = Of(kSumOfDevices, {{1000, -1000, 0.5, 0.25}});
  EXPECT_EQ(p.scale, 1000);
  EXPECT_FALSE(p.open);
}

TEST_F(ProvenanceTest, ASumOfDevicesIsOpenIfItsOrderDecidesWhetherItOverflows) {
  EXPECT_TRUE(Of(kSumOfDevices, {{3e38, 3e38, -3e38, -3e38}}).open);
}

TEST_F(ProvenanceTest, WhatDevicesComputeIsOpenIfTheirPartIs) {
  const Provenance p = Of(R"(
    sdy.mesh @m = <["x"=2]>
    func.func @main(%a: tensor<8xf32>) -> tensor<2xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
          (%b: tensor<4xf32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %1 = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0]
            : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
        sdy.return %2 : tensor<1xf32>
      } : (tensor<8xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })",
                          {{1, 2, 3, 4, 3e38, 3e38, -3e38, -3e38}});
  EXPECT_TRUE(p.open);
}

}  // namespace
}  // namespace opbyop::reference
