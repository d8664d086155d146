// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/rows_judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/inputs.h"
#include "reference/worker/output_judge.h"

namespace opbyop::reference {
namespace {

constexpr RowsLimits kSomeRows{.fewest = 1, .part = 100, .moved = 100};

class RowsJudgeTest : public testing::Test {
 protected:
  void Load(const std::string& text, InputKind kind = InputKind::kDomain) {
    auto module = ReadModuleFromBytes(text, "test", context_);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    module_ = std::move(*module);
    entry_ = *EntryOf(*module_);
    arguments_.clear();
    const auto inputs = MakeInputs(*module_, kind, 3);
    ASSERT_TRUE(inputs.has_value());
    for (const InputData& input : *inputs) {
      arguments_.emplace_back(*TensorFromBytes(input.type, input.shape, input.bytes));
    }
  }

  Tensor Expected() {
    Evaluator evaluator(*module_, kOptions);
    return (*evaluator.CallFunction(entry_, arguments_))[0].tensor();
  }

  std::optional<Comparison> ByRows(const std::vector<std::byte>& bytes, const RowsLimits& limits = kSomeRows) {
    Evaluator evaluator(*module_, kOptions);
    return JudgeByRows(entry_, evaluator, arguments_, bytes, {}, limits);
  }

  // A right output has the comparison of the whole, and one with a changed element has one only if that is accepted.
  void ExpectSameAsWhole() {
    const Tensor expected = Expected();
    const std::vector<std::byte> right = TensorToBytes(expected);
    const auto whole = JudgeOutput(0, expected, expected.shape(), right, {});
    const std::optional<Comparison> rows = ByRows(right);
    ASSERT_TRUE(whole.has_value() && rows.has_value());
    EXPECT_EQ(rows->rule, whole->rule);
    EXPECT_EQ(rows->elements, whole->elements);
    EXPECT_EQ(rows->unbounded, whole->unbounded);
    EXPECT_EQ(rows->constant, whole->constant);
    EXPECT_EQ(rows->pcc, whole->pcc);
    const auto each = static_cast<size_t>(StoredBytes(expected.type()));
    for (size_t i = 0; i < right.size() / each; i += 7) {
      std::vector<std::byte> changed = right;
      changed[i * each + each - 1] ^= std::byte{0x40};
      EXPECT_EQ(ByRows(changed).has_value(), JudgeOutput(0, expected, expected.shape(), changed, {})->accepted) << i;
    }
  }

  static inline const EvalOptions kOptions{.bounds = true, .deviations = true};
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Operation* entry_ = nullptr;
  Values arguments_;
};

TEST_F(RowsJudgeTest, ABroadcastAlongTheFirstDimensionOrAcrossIt) {
  for (const char* const operand : {"tensor<bf16>|", "tensor<40xbf16>|0", "tensor<30xbf16>|1", "tensor<1x30xbf16>|0, 1",
                                    "tensor<30x40xbf16>|1, 0"}) {
    const std::string text = operand;
    const std::string type = text.substr(0, text.find('|')), dims = text.substr(text.find('|') + 1);
    SCOPED_TRACE(text);
    Load(
        fmt::format("func.func @main(%a: {0}) -> tensor<40x30xbf16> {{\n  %0 = stablehlo.broadcast_in_dim %a, dims = "
                    "[{1}] : ({0}) -> tensor<40x30xbf16>\n  return %0 : tensor<40x30xbf16>\n}}",
                    type, dims));
    ExpectSameAsWhole();
  }
}

TEST_F(RowsJudgeTest, ACountAlongTheFirstDimensionOrAnother) {
  for (const int dimension : {0, 1}) {
    for (const char* const type : {"i32", "i8", "bf16", "complex<f32>"}) {
      SCOPED_TRACE(fmt::format("{} along {}", type, dimension));
      Load(
          fmt::format("func.func @main() -> tensor<200x6x{0}> {{\n  %0 = stablehlo.iota dim = {1} : tensor<200x6x{0}>\n"
                      "  return %0 : tensor<200x6x{0}>\n}}",
                      type, dimension));
      ExpectSameAsWhole();
    }
  }
}

TEST_F(RowsJudgeTest, AnUpdateOfSomeRowsOrOfPartsOfAllRows) {
  for (const char* const update : {"1x30", "17x30", "40x9", "3x4", "0x30"}) {
    for (const int64_t start : {-5, 0, 11, 22, 100}) {
      SCOPED_TRACE(fmt::format("{} at {}", update, start));
      Load(
          fmt::format("func.func @main(%a: tensor<40x30xbf16>, %u: tensor<{0}xbf16>, %i: tensor<i32>, %j: tensor<i32>) "
                      "-> tensor<40x30xbf16> {{\n  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : "
                      "(tensor<40x30xbf16>, tensor<{0}xbf16>, tensor<i32>, tensor<i32>) -> tensor<40x30xbf16>\n"
                      "  return %0 : tensor<40x30xbf16>\n}}",
                      update));
      arguments_[2] = Tensor::Of(ElementType::kI32, {}, std::vector<int64_t>{start});
      ExpectSameAsWhole();
    }
  }
}

// Indices of a table of 20 rows; some are out of bounds.
TEST_F(RowsJudgeTest, AGatherOfRowsOrOfElements) {
  struct Case {
    const char *indices, *result, *numbers, *sizes;
  };
  for (const Case& c : {Case{"40x1", "40x6",
                             "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
                             "index_vector_dim = 1",
                             "1, 6"},
                        Case{"1x40", "40x6",
                             "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
                             "index_vector_dim = 0",
                             "1, 6"},
                        Case{"40x5x2", "40x5",
                             "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], "
                             "index_vector_dim = 2",
                             "1, 1"}}) {
    SCOPED_TRACE(c.indices);
    Load(fmt::format(R"(func.func @main(%t: tensor<20x6xbf16>, %i: tensor<{0}xi32>) -> tensor<{1}xbf16> {{
      %0 = "stablehlo.gather"(%t, %i) <{{dimension_numbers = #stablehlo.gather<{2}>, slice_sizes = array<i64: {3}>}}>
          : (tensor<20x6xbf16>, tensor<{0}xi32>) -> tensor<{1}xbf16>
      return %0 : tensor<{1}xbf16>
    }})",
                     c.indices, c.result, c.numbers, c.sizes));
    ExpectSameAsWhole();
  }
}

TEST_F(RowsJudgeTest, OperandsThatTheProgramFillsItself) {
  Load(R"(func.func @main(%i: tensor<25x1xi32>, %u: tensor<25x8xbf16>) -> tensor<90x8xbf16> {
    %c = stablehlo.constant dense<0.5> : tensor<bf16>
    %t = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<bf16>) -> tensor<90x8xbf16>
    %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %1 = stablehlo.add %a, %b : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<90x8xbf16>, tensor<25x1xi32>, tensor<25x8xbf16>) -> tensor<90x8xbf16>
    return %0 : tensor<90x8xbf16>
  })");
  ExpectSameAsWhole();
  Load(R"(func.func @main(%a: tensor<40x30xbf16>, %u: tensor<2x30xbf16>, %i: tensor<i32>) -> tensor<40x30xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %u, %i, %c
        : (tensor<40x30xbf16>, tensor<2x30xbf16>, tensor<i32>, tensor<i32>) -> tensor<40x30xbf16>
    return %0 : tensor<40x30xbf16>
  })");
  ExpectSameAsWhole();
}

TEST_F(RowsJudgeTest, LeavesAnOperandThatAnotherOpComputesToTheCaller) {
  Load(R"(func.func @main(%a: tensor<40x30xf32>, %i: tensor<f32>) -> tensor<40xf32> {
    %n = stablehlo.negate %a : tensor<40x30xf32>
    %0 = stablehlo.reduce(%n init: %i) applies stablehlo.add across dimensions = [1]
        : (tensor<40x30xf32>, tensor<f32>) -> tensor<40xf32>
    return %0 : tensor<40xf32>
  })");
  EXPECT_EQ(ByRows(TensorToBytes(Expected())), std::nullopt);
}

TEST_F(RowsJudgeTest, ASumOverAnyDimension) {
  for (const char* const dimensions : {"0", "1", "2", "0, 2"}) {
    for (const char* const type : {"f32", "bf16", "i32"}) {
      const std::string d = dimensions, element = type;
      const std::string result = d == "0"   ? "tensor<50x6x"
                                 : d == "1" ? "tensor<40x6x"
                                 : d == "2" ? "tensor<40x50x"
                                            : "tensor<50x";
      SCOPED_TRACE(fmt::format("{} of {}", d, element));
      Load(
          fmt::format("func.func @main(%a: tensor<40x50x6x{0}>, %i: tensor<{0}>) -> {1}{0}> {{\n  %0 = "
                      "stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [{2}] : "
                      "(tensor<40x50x6x{0}>, tensor<{0}>) -> {1}{0}>\n  return %0 : {1}{0}>\n}}",
                      element, result, d));
      ExpectSameAsWhole();
    }
  }
}

// Rows of 8 elements, some of them updated several times, some by an index that is out of bounds.
std::string ScatterOf(std::string_view combine, std::string_view index) {
  return fmt::format(R"(func.func @main(%t: tensor<90x8xf32>, %i: tensor<25x1x{1}>, %u: tensor<25x8xf32>)
      -> tensor<90x8xf32> {{
    %0 = "stablehlo.scatter"(%t, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      {0}
    }}) : (tensor<90x8xf32>, tensor<25x1x{1}>, tensor<25x8xf32>) -> tensor<90x8xf32>
    return %0 : tensor<90x8xf32>
  }})",
                     combine, index);
}

TEST_F(RowsJudgeTest, AScatterThatAddsToRows) {
  for (const char* const index : {"i32", "ui8", "i64"}) {
    for (const InputKind kind : {InputKind::kDomain, InputKind::kEdge}) {
      SCOPED_TRACE(index);
      Load(ScatterOf("%1 = stablehlo.add %a, %b : tensor<f32>\n stablehlo.return %1 : tensor<f32>", index), kind);
      ExpectSameAsWhole();
    }
  }
}

// Only some rows are updated twice, so that no one rule describes all parts.
TEST_F(RowsJudgeTest, LeavesAnOpenOrderOfUpdatesInSomeRowsToTheCaller) {
  Load(ScatterOf("stablehlo.return %b : tensor<f32>", "i32"));
  std::vector<int64_t> indices = {3, 3};
  for (int64_t i = 2; i < 25; ++i) indices.push_back(3 * i);
  arguments_[1] = Tensor::Of(ElementType::kI32, {25, 1}, indices);
  EXPECT_EQ(ByRows(TensorToBytes(Expected())), std::nullopt);
}

TEST_F(RowsJudgeTest, LeavesSmallOutputsAndOtherOpsToTheCaller) {
  Load(
      "func.func @main(%a: tensor<30xf32>) -> tensor<40x30xf32> {\n  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : "
      "(tensor<30xf32>) -> tensor<40x30xf32>\n  return %0 : tensor<40x30xf32>\n}");
  EXPECT_EQ(ByRows(TensorToBytes(Expected()), {}), std::nullopt);
  Load(
      "func.func @main(%a: tensor<30xf32>) -> tensor<30xf32> {\n  %0 = stablehlo.negate %a : tensor<30xf32>\n  return "
      "%0 : tensor<30xf32>\n}");
  EXPECT_EQ(ByRows(TensorToBytes(Expected())), std::nullopt);
}

}  // namespace
}  // namespace opbyop::reference
