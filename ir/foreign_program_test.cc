// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/foreign_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/foreign_dialects.h"
#include "ir/read_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Walkable(std::string_view text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  AllowAnyDialect(context);
  auto module = ReadModuleFromBytes(text, "ir.mlir", context, {.allow_mhlo = true});
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  if (!module) return "";
  MakeWalkable(**module);
  std::string out;
  llvm::raw_string_ostream stream(out);
  (*module)->print(stream);
  return out;
}

TEST(ForeignProgramTest, FunctionsOfAnyDialectBecomeFuncFunctions) {
  const std::string text = Walkable(R"(
"builtin.module"() ({
  "util.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "util.call"(%arg0) <{callee = @inner}> : (tensor<4xf32>) -> tensor<4xf32>
    "util.return"(%0) : (tensor<4xf32>) -> ()
  }) {iree.abi.stub} : () -> ()
  "util.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "inner", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "flow.tensor.clone"(%arg0) <{how = 3 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    "util.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ())");
  EXPECT_THAT(text, HasSubstr("func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32>"));
  EXPECT_THAT(text, HasSubstr("call @inner(%arg0)"));
  EXPECT_THAT(text, HasSubstr("func.func private @inner"));
  EXPECT_THAT(text, HasSubstr(R"("flow.tensor.clone"(%arg0) {how = 3 : i64})"));
  EXPECT_THAT(text, Not(HasSubstr("util.")));
}

TEST(ForeignProgramTest, OpsThatOnlyLookLikeFunctionsAreUnchanged) {
  const std::string text = Walkable(R"(
"builtin.module"() ({
  "vm.func"() <{function_type = !vm.type, sym_name = "main"}> ({
  ^bb0(%arg0: i32):
    "vm.return"(%arg0) : (i32) -> ()
  }) : () -> ()
}) : () -> ())");
  EXPECT_THAT(text, HasSubstr(R"("vm.func"())"));
  EXPECT_THAT(text, HasSubstr(R"("vm.return"(%arg0))"));
}

TEST(ForeignProgramTest, RegisteredOpsAreUnchanged) {
  const std::string text = Walkable(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  EXPECT_THAT(text, HasSubstr("stablehlo.abs %arg0"));
}

}  // namespace
}  // namespace opbyop
