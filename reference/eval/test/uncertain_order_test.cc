// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of what depends on the order of inexact numbers, and of what is taken at inexact indices.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/eval/test/inexact_arguments.h"
#include "reference/eval/test/one_result.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using testing::Each;
using testing::ElementsAre;

// Numbers of which many are nearly equal, some of them inexact.
Tensor Near(Shape shape, Devices& devices) {
  Tensor t = Tensor::Make(ElementType::kF32, std::move(shape));
  std::vector<double> errors;
  for (double& v : t.Mutable<double>()) {
    v = 0.25 * static_cast<double>(devices.Below(40) - 20);
    errors.push_back(devices.Below(3) == 0 ? 0.25 * static_cast<double>(devices.Below(4)) : 0);
  }
  return WithErrors(std::move(t), errors);
}

Tensor Spread(Shape shape) {
  Tensor t = Tensor::Make(ElementType::kF32, std::move(shape));
  double next = 1;
  for (double& v : t.Mutable<double>()) v = next *= -1.25;
  return t;
}

constexpr char kSort[] = R"(
func.func @main(%k: tensor<3x9xf32>, %v: tensor<3x9xf32>) -> (tensor<3x9xf32>, tensor<3x9xf32>) {{
  %0:2 = "stablehlo.sort"(%k, %v) <{{dimension = 1 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.compare {0}, %a, %b, {1} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}) : (tensor<3x9xf32>, tensor<3x9xf32>) -> (tensor<3x9xf32>, tensor<3x9xf32>)
  return %0#0, %0#1 : tensor<3x9xf32>, tensor<3x9xf32>
}})";

TEST(UncertainOrderTest, ASortOfInexactKeysCoversTheirOrders) {
  Devices devices;
  for (const std::string direction : {"LT", "GT"}) {
    for (const std::string type : {"FLOAT", "TOTALORDER"}) {
      const std::string text = fmt::format(kSort, direction, type);
      for (int round = 0; round < 30; ++round) devices.ExpectCovered(text, {Near({3, 9}, devices)}, {Spread({3, 9})});
    }
  }
}

TEST(UncertainOrderTest, KeysThatAreFartherApartThanTheirErrorsKeepTheirOrder) {
  const std::string text = R"(
func.func @main(%k: tensor<4xf32>, %v: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
})";
  const Tensor keys = WithErrors(F32({4}, {1, 4, 2, 4.5}), {0.25, 0.25, 0.5, 0.5});
  const Expected<Values> sorted = EvaluateText(text, Values{keys, I32({4}, {7, 3, 5, 9})}, {.bounds = true});
  ASSERT_TRUE(sorted) << sorted.error().message;
  EXPECT_THAT((*sorted)[0].tensor().bounds(), ElementsAre(0.25, 0.5, 0.25, 0.5));
  EXPECT_THAT((*sorted)[1].tensor().bounds(), ElementsAre(0, 0, 6, 6)) << "the last two may change places";
}

TEST(UncertainOrderTest, TopKOfInexactNumbersCoversTheirOrders) {
  const std::string text = R"(
func.func @main(%k: tensor<3x9xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {
  %0, %1 = chlo.top_k(%k, k = 4) : tensor<3x9xf32> -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xi32>
})";
  Devices devices;
  for (int round = 0; round < 60; ++round) devices.ExpectCovered(text, {Near({3, 9}, devices)});
}

// Takes rows at indices that are the places of the greatest numbers.
TEST(UncertainOrderTest, AGatherAtInexactIndicesCoversWhatMayBeThere) {
  const std::string text = R"(
func.func @main(%k: tensor<3x9xf32>, %t: tensor<9x2xf32>) -> tensor<3x4x2xf32> {
  %0, %1 = chlo.top_k(%k, k = 4) : tensor<3x9xf32> -> (tensor<3x4xf32>, tensor<3x4xi32>)
  %2 = "stablehlo.gather"(%t, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2>}> : (tensor<9x2xf32>, tensor<3x4xi32>) -> tensor<3x4x2xf32>
  return %2 : tensor<3x4x2xf32>
})";
  Devices devices;
  for (int round = 0; round < 60; ++round) devices.ExpectCovered(text, {Near({3, 9}, devices)}, {Spread({9, 2})});
}

TEST(UncertainOrderTest, EachNumberOfAnIndexVectorMayBeAnotherOne) {
  const std::string text = R"(
func.func @main(%i: tensor<2x2xi32>, %t: tensor<4x5xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})";
  Devices devices;
  const Tensor indices = WithErrors(I32({2, 2}, {1, 2, 3, 0}), {1, 2, 0, 1});
  for (int round = 0; round < 20; ++round) devices.ExpectCovered(text, {indices}, {Spread({4, 5})});
}

TEST(UncertainOrderTest, ASliceMayStartElsewhere) {
  const std::string slice = R"(
func.func @main(%i: tensor<i32>, %j: tensor<i32>, %t: tensor<4x5xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dynamic_slice %t, %i, %j, sizes = [2, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})";
  const std::string update = R"(
func.func @main(%i: tensor<i32>, %j: tensor<i32>, %t: tensor<4x5xf32>, %u: tensor<2x2xf32>) -> tensor<4x5xf32> {
  %0 = stablehlo.dynamic_update_slice %t, %u, %i, %j : (tensor<4x5xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
})";
  Devices devices;
  const std::vector<Tensor> at = {WithErrors(I32({}, {1}), {1}), WithErrors(I32({}, {2}), {3})};
  for (int round = 0; round < 20; ++round) {
    devices.ExpectCovered(slice, at, {Spread({4, 5})});
    devices.ExpectCovered(update, at, {Spread({4, 5}), Spread({2, 2})});
  }
}

TEST(UncertainOrderTest, OnlyWhatAnUnboundedIndexDecidesIsOpen) {
  const std::string text = R"(
func.func @main(%i: tensor<3xi32>, %t: tensor<5xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.torch_index_select"(%t, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5xf32>, tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
})";
  const Tensor indices = WithErrors(I32({3}, {1, 4, 0}), {0, kInf, 0});
  EXPECT_THAT(OneResult(text, Values{indices, Spread({5})}, {.bounds = true}).bounds(), ElementsAre(0, kInf, 0));
}

TEST(UncertainOrderTest, AScatterToInexactIndicesIsOpen) {
  const std::string text = R"(
func.func @main(%i: tensor<2x1xi32>, %t: tensor<4xf32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
  const Tensor indices = WithErrors(I32({2, 1}, {1, 3}), {0, 1});
  EXPECT_THAT(OneResult(text, Values{indices, Spread({4}), Spread({2})}, {.bounds = true}).bounds(), Each(kInf));
}

TEST(UncertainOrderTest, ASelectionAmongInexactElementsCoversTheirRivals) {
  const std::string text = R"(
func.func @main(%k: tensor<9xf32>, %s: tensor<4xf32>, %z: tensor<f32>) -> tensor<9xf32> {
  %0 = "stablehlo.select_and_scatter"(%k, %s, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9xf32>, tensor<4xf32>, tensor<f32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
})";
  Devices devices;
  for (int round = 0; round < 60; ++round)
    devices.ExpectCovered(text, {Near({9}, devices)}, {Spread({4}), F32({}, {0})});
}

}  // namespace
}  // namespace opbyop::reference
