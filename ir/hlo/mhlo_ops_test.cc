// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/hlo/mhlo_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

// Returns the program that is read of this line, or the error.
std::string ReadLine(const std::string& line) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(
      "func.func @main(%a: tensor<8xf32>) -> tensor<2xf32> {\n" + line + "\n  return %1#0 : tensor<2xf32>\n}", "m.mlir",
      context);
  if (!module) return module.error().message;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->get().print(stream);
  return text;
}

std::string TopK(const std::string& properties) {
  return "  %0 = \"mhlo.erf\"(%a) : (tensor<8xf32>) -> tensor<8xf32>\n  %1:2 = \"mhlo.topk\"(%0) " + properties +
         " : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)";
}

TEST(MhloOpsTest, OpsThatChloHasAreReadAsItsOps) {
  const std::string text = ReadLine(TopK("<{k = 2 : i64, largest = true}>"));
  EXPECT_THAT(text, HasSubstr("chlo.erf"));
  EXPECT_THAT(text, HasSubstr("chlo.top_k(%0, k = 2)"));
}

TEST(MhloOpsTest, AttributesMayStandWhereOldPrintersPutThem) {
  EXPECT_THAT(ReadLine(TopK("{k = 2 : i64}")), HasSubstr("chlo.top_k(%0, k = 2)"));
}

TEST(MhloOpsTest, TheLeastElementsAreNoTopKOfChlo) {
  EXPECT_THAT(ReadLine(TopK("<{k = 2 : i64, largest = false}>")), HasSubstr("it has mhlo.topk"));
}

TEST(MhloOpsTest, AnOpWithTheWrongTypesIsAnError) {
  EXPECT_THAT(ReadLine("  %1 = \"mhlo.erf\"(%a) : (tensor<8xf32>) -> tensor<2xf32>"),
              HasSubstr("this is not valid StableHLO"));
}

}  // namespace
}  // namespace opbyop
