// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/gspmd_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::generator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string FormOf(const std::string& text, void (*rewrite)(mlir::ModuleOp) = ToGspmdForm) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module) << module.error().message;
  if (!module) return "";
  rewrite(**module);
  std::string form;
  llvm::raw_string_ostream out(form);
  module->get().print(out);
  return form;
}

TEST(GspmdFormTest, AConstraintIsACustomCall) {
  const std::string form = FormOf(R"(sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharding_constraint %a <@m, [{"x"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
})");
  EXPECT_THAT(form, HasSubstr("@Sharding(%arg0)"));
  EXPECT_THAT(form, HasSubstr(R"(mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}")"));
  EXPECT_THAT(form, Not(HasSubstr("sdy.")));
}

TEST(DropShardingsTest, NothingOfThemIsLeft) {
  const std::string form = FormOf(R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<16xf32> {
  %0 = sdy.sharding_constraint %a <@m, [{}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
})",
                                  DropShardings);
  EXPECT_THAT(form, HasSubstr("return %arg0"));
  EXPECT_THAT(form, Not(HasSubstr("harding")));
}

TEST(GspmdFormTest, AManualComputationKeepsItsMesh) {
  const std::string form = FormOf(R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
      (%p: tensor<8xf32>) {
    sdy.return %p : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
})");
  EXPECT_THAT(form, HasSubstr("sdy.mesh @m"));
  EXPECT_THAT(form, HasSubstr("@main(%arg0: tensor<16xf32>)"));
}

}  // namespace
}  // namespace opbyop::generator
