// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_rows_judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/read_module.h"
#include "reference/tensor/counter_stream.h"
#include "reference/worker/output_judge.h"

namespace opbyop::reference {
namespace {

// 3 blocks of 50 rows and 30 columns, in parts of 7 rows.
constexpr ProductRowsLimits kParts{.fewest = 1, .part = 210, .rows = 1};

class ProductRowsJudgeTest : public testing::Test {
 protected:
  // A share of the left numbers is zero.
  void Product(const std::string& type, double zeros) {
    const std::string a = fmt::format("tensor<3x50x64x{}>", type), b = fmt::format("tensor<3x64x30x{}>", type);
    const std::string text = fmt::format(
        "func.func @main(%a: {0}, %b: {1}) -> tensor<3x50x30x{2}> {{\n  %r = stablehlo.dot_general %a, %b, "
        "batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({0}, {1}) -> tensor<3x50x30x{2}>\n  return %r : "
        "tensor<3x50x30x{2}>\n}}\n",
        a, b, type);
    auto module = ReadModuleFromBytes(text, "test", context_);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    module_ = std::move(*module);
    entry_ = *EntryOf(*module_);
    uint64_t drawn = 0;
    for (mlir::Value argument : entry_->getRegion(0).getArguments()) {
      const auto shaped = llvm::cast<mlir::RankedTensorType>(argument.getType());
      const ElementType element = *ElementTypeOf(shaped);
      Tensor t = Tensor::Make(element, Shape(shaped.getShape().begin(), shaped.getShape().end()));
      for (double& v : t.Mutable<double>()) {
        const bool zero = arguments_.empty() && random_.Unit(drawn++) < zeros;
        v = zero ? 0 : RoundTo(FormatOf(element), 2 * random_.Unit(drawn++) - 1);
      }
      arguments_.emplace_back(std::move(t));
    }
  }

  // The output of a right device, of which one element is changed by so many of its bounds.
  std::vector<std::byte> Output(double bounds_off) {
    Tensor output = Expected();
    const int64_t at = 2 * 1500 + 49 * 30 + 29;
    output.Mutable<double>()[static_cast<size_t>(at)] += bounds_off * output.bounds()[static_cast<size_t>(at)];
    return TensorToBytes(output);
  }

  Tensor Expected() {
    Evaluator evaluator(*module_, kOptions);
    return (*evaluator.CallFunction(entry_, arguments_))[0].tensor();
  }

  std::optional<Comparison> ByRows(const std::vector<std::byte>& bytes) {
    Evaluator evaluator(*module_, kOptions);
    return JudgeProductByRows(entry_, evaluator, arguments_, bytes, {}, kParts);
  }

  void ExpectSameAsWhole(const std::vector<std::byte>& bytes) {
    const Tensor expected = Expected();
    const auto whole = JudgeOutput(0, expected, expected.shape(), bytes, {});
    const std::optional<Comparison> rows = ByRows(bytes);
    ASSERT_TRUE(whole.has_value() && rows.has_value());
    EXPECT_EQ(rows->rule, whole->rule);
    EXPECT_EQ(rows->bound_ratio, whole->bound_ratio);
    EXPECT_NEAR(rows->precision_ratio, whole->precision_ratio, 1e-12 * whole->precision_ratio);
    EXPECT_GT(rows->precision_ratio, 0);
    EXPECT_EQ(rows->max_abs, whole->max_abs);
    EXPECT_EQ(rows->elements, whole->elements);
    EXPECT_NEAR(rows->pcc, whole->pcc, 1e-12);
    EXPECT_NEAR(rows->rmse, whole->rmse, 1e-12 * whole->rmse);
    ASSERT_EQ(rows->worst.size(), whole->worst.size());
    for (size_t i = 0; i < rows->worst.size(); ++i) EXPECT_EQ(rows->worst[i].index, whole->worst[i].index);
  }

  static inline const EvalOptions kOptions{.bounds = true, .deviations = true};
  CounterStream random_{1};
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Operation* entry_ = nullptr;
  Values arguments_;
};

TEST_F(ProductRowsJudgeTest, GivesTheComparisonOfTheWholeOutput) {
  for (const char* type : {"f32", "bf16"}) {
    arguments_.clear();
    Product(type, 0);
    ExpectSameAsWhole(Output(0.5));
  }
}

TEST_F(ProductRowsJudgeTest, RowsWithSumsOfDifferentLengthsFollowOneRule) {
  for (const double zeros : {0.5, 0.95}) {
    arguments_.clear();
    Product("f32", zeros);
    ExpectSameAsWhole(Output(0.5));
    EXPECT_THAT(ByRows(Output(0))->rule, testing::HasSubstr(" n<="));
  }
}

TEST_F(ProductRowsJudgeTest, LeavesARefusedOutputToTheCaller) {
  Product("f32", 0);
  EXPECT_EQ(ByRows(Output(1.5)), std::nullopt);
}

TEST_F(ProductRowsJudgeTest, LeavesASmallOutputToTheCaller) {
  Product("f32", 0);
  Evaluator evaluator(*module_, kOptions);
  EXPECT_EQ(JudgeProductByRows(entry_, evaluator, arguments_, Output(0), {}), std::nullopt);
}

}  // namespace
}  // namespace opbyop::reference
