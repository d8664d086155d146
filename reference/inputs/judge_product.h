// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: judges a simulated device, which adds up products in its own way, on random matrices.
//
//   const JudgedProduct judged = JudgeProduct({.k = 1024}, device, target.arithmetic);
#ifndef OPBYOP_REFERENCE_INPUTS_JUDGE_PRODUCT_H_
#define OPBYOP_REFERENCE_INPUTS_JUDGE_PRODUCT_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"
#include "reference/eval/evaluate_text.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {

// Multiplies a row of the left matrix by a column of the right one. The result must be a number of f32.
using ProductDevice = std::function<double(std::span<const double>, std::span<const double>)>;

struct ProductTrial {
  int64_t rows = 9, k = 0, columns = 40;
  std::string type = "f32";  // element type of both matrices
  InputKind kind = InputKind::kDomain;
};

struct JudgedProduct {
  double bound_ratio;
  double precision_ratio;
};

// `declared` is the arithmetic that the device's target declares.
inline JudgedProduct JudgeProduct(const ProductTrial& trial, const ProductDevice& device, const Arithmetic& declared) {
  const std::string lhs = fmt::format("tensor<{}x{}x{}>", trial.rows, trial.k, trial.type);
  const std::string rhs = fmt::format("tensor<{}x{}x{}>", trial.k, trial.columns, trial.type);
  const std::string out = fmt::format("tensor<{}x{}xf32>", trial.rows, trial.columns);
  const std::string text = fmt::format(
      "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
      ": ({0}, {1}) -> {2}\n  return %0 : {2}\n}}",
      lhs, rhs, out);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  const auto inputs = MakeInputs(module->get(), trial.kind, SeedOf("case", 1));
  Values arguments;
  for (const InputData& input : *inputs) {
    arguments.emplace_back(*TensorFromBytes(input.type, input.shape, input.bytes));
  }
  const auto a = arguments[0].tensor().data<double>(), b = arguments[1].tensor().data<double>();
  const auto length = static_cast<size_t>(trial.k), columns = static_cast<size_t>(trial.columns);
  std::vector<double> turned(b.size());
  for (size_t i = 0; i < b.size(); ++i) turned[i % columns * length + i / columns] = b[i];
  std::vector<double> got;
  for (size_t i = 0; i < a.size(); i += length) {
    for (size_t j = 0; j < turned.size(); j += length) {
      got.push_back(device(a.subspan(i, length), std::span(turned).subspan(j, length)));
    }
  }
  const auto expected = EvaluateText(text, arguments,
                                     {.bounds = true,
                                      .exact_integers = trial.kind == InputKind::kExactInt,
                                      .deviations = trial.kind == InputKind::kDomain,
                                      .arithmetic = declared});
  EXPECT_TRUE(expected) << (expected ? "" : expected.error().message);
  const Tensor& want = (*expected)[0].tensor();
  const std::vector<std::byte> bytes = TensorToBytes(F32({trial.rows, trial.columns}, got));
  return {CompareOutput(0, want, bytes)->bound_ratio, PrecisionRatio(want, bytes)};
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_JUDGE_PRODUCT_H_
