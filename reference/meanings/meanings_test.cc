// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/meanings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/foreign_dialects.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "reference/eval/evaluate_text.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kScale = R"(
func.func @vendor.scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
)";

// A program of its own @twice, which must not be the one that is called.
constexpr const char* kProgram = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @vendor.scale(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
)";

class MeaningsTest : public testing::Test {
 protected:
  MeaningsTest() : context_(mlir::MLIRContext::Threading::DISABLED) { AllowAnyDialect(context_); }

  Expected<Meanings> Load(const std::string& text) {
    const std::filesystem::path file = folder_.path() / "vendor.mlir";
    EXPECT_TRUE(WriteFile(file, text));
    return Meanings::Load({file});
  }

  // Evaluates the program with the meanings of `definitions`.
  Expected<Values> Evaluate(const std::string& definitions, const std::string& program) {
    const Expected<Meanings> meanings = Load(definitions);
    if (!meanings) return Unexpected(meanings.error());
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(program, "case.mlir", context_);
    if (!module) return Unexpected(module.error());
    Expected<Applied> applied = meanings->Apply(module->get());
    if (!applied) return Unexpected(applied.error());
    used_ = applied->words;
    EXPECT_TRUE(succeeded(mlir::verify(module->get())));
    Evaluator evaluator(module->get(), EvalOptions());
    return evaluator.CallFunction(*EntryOf(module->get()), {F32({2}, {1, 3})});
  }

  TestFolder folder_;
  mlir::MLIRContext context_;
  std::string used_;
};

TEST_F(MeaningsTest, ACustomCallMeansWhatItsFunctionComputes) {
  const Expected<Values> results = Evaluate(kScale, kProgram);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
  EXPECT_EQ(used_, "vendor.scale as vendor.mlir defines it");
}

TEST_F(MeaningsTest, ADefinitionOverridesADecomposition) {
  const Expected<Values> results = Evaluate(kScale, R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.composite "vendor.scale" %x {decomposition = @stub} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @stub(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
}

TEST_F(MeaningsTest, AnIdentityIsOneOfEveryType) {
  const Expected<Values> results = Evaluate("module attributes {opbyop.identities = [\"vendor.scale\"]} {}", kProgram);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(1, 3));
}

TEST_F(MeaningsTest, ANameMayBeDefinedForSeveralTypes) {
  const Expected<Values> results = Evaluate(std::string(kScale) + R"(
    func.func @scale_of_four(%x: tensor<4xf32>) -> tensor<4xf32> attributes {opbyop.meaning = "vendor.scale"} {
      return %x : tensor<4xf32>
    })",
                                            kProgram);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
}

TEST_F(MeaningsTest, ACallOfOtherTypesIsUnsupportedAndSaysWhatIsDefined) {
  const Expected<Values> results =
      Evaluate("func.func @vendor.scale(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }", kProgram);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(results.error().message,
              HasSubstr("custom_call @vendor.scale: vendor.mlir defines it for (tensor<4xf32>) -> tensor<4xf32>"));
}

TEST_F(MeaningsTest, ACallInsideADefinitionKeepsItsOwnMeaning) {
  const Expected<Values> results = Evaluate(R"(
    func.func @Sharding(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = stablehlo.add %0, %0 : tensor<2xf32>
      return %1 : tensor<2xf32>
    })",
                                            R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
}

TEST_F(MeaningsTest, AProgramWithoutSuchCallsStaysAsItIs) {
  const Expected<Values> results =
      Evaluate(kScale, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(used_, "");
}

TEST_F(MeaningsTest, AFileThatDefinesNothingUsableIsAnError) {
  EXPECT_THAT(Load("module {}").error().message, HasSubstr("defines nothing"));
  EXPECT_THAT(Load("func.func private @helper(tensor<2xf32>)").error().message, HasSubstr("defines nothing"));
  EXPECT_THAT(Load("module attributes {opbyop.identities = [\"a\"]} {\n"
                   "  func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n}")
                  .error()
                  .message,
              HasSubstr("a is defined twice"));
  EXPECT_EQ(Meanings::Load({folder_.path() / "absent.mlir"}).error().code, ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop::reference
