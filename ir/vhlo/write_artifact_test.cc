// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/write_artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().printGenericOpForm());
  return text;
}

class WriteArtifactTest : public ::testing::Test {
 protected:
  std::string Refuse(const std::string& text, VhloVersion target) {
    auto module = ReadModuleFromBytes(text, "in", context_);
    if (!module) return "was not read: " + module.error().message;
    Expected<std::string> bytes = SerializePortableArtifact(**module, target);
    if (bytes) return "was written";
    EXPECT_EQ(bytes.error().code, ExitCode::kUnsupported);
    return bytes.error().message;
  }

  // Writes the module as an artifact of version `target`, reads it again and prints the result.
  std::string Rewrite(const std::string& text, VhloVersion target) {
    auto module = ReadModuleFromBytes(text, "in", context_);
    if (!module) return "was not read: " + module.error().message;
    Expected<std::string> bytes = SerializePortableArtifact(**module, target);
    if (!bytes) return "was not written: " + bytes.error().message;
    auto again = ReadModuleFromBytes(*bytes, "again", context_);
    return again ? Print(**again) : "was not read again: " + again.error().message;
  }

  mlir::MLIRContext context_;
};

TEST_F(WriteArtifactTest, EveryVersionReadsTheSameAfterWriting) {
  auto module = ReadModule(TestSource("ir/vhlo/test/small.mlir"), context_);
  ASSERT_TRUE(module) << module.error().message;
  const std::string text = Print(**module);
  for (const VhloVersion& version : VhloVersions()) {
    Expected<std::string> bytes = SerializePortableArtifact(**module, version);
    ASSERT_TRUE(bytes) << ToString(version) << ": " << bytes.error().message;
    Expected<ArtifactInfo> info = InspectArtifact(*bytes);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->version, version);
    auto again = ReadModuleFromBytes(*bytes, "again", context_);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(Print(**again), text) << ToString(version);
  }
  EXPECT_EQ(Print(**module), text) << "the module itself is left alone";
}

TEST_F(WriteArtifactTest, WritesTheBytesThatItsProducerWrote) {
  for (const char* name : {"small_0_9_0.mlirbc", "small_1_17_0.mlirbc"}) {
    Expected<std::string> bytes = ReadFile(TestSource(std::string("ir/vhlo/test/") + name));
    ASSERT_TRUE(bytes) << bytes.error().message;
    auto module = ReadModuleFromBytes(*bytes, name, context_);
    ASSERT_TRUE(module) << module.error().message;
    Expected<std::string> written = SerializePortableArtifact(**module, *InspectArtifact(*bytes)->version);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_TRUE(*written == *bytes) << name;
  }
}

TEST_F(WriteArtifactTest, NamesTheVersionThatAnOpNeeds) {
  EXPECT_THAT(Refuse("func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.tan %a : tensor<f32>\n"
                     "  return %0 : tensor<f32>\n}",
                     {1, 0, 0}),
              AllOf(HasSubstr("in:2:"), HasSubstr("stablehlo.tan"), HasSubstr("1.0.0"), HasSubstr("1.4.0 or newer")));
}

TEST_F(WriteArtifactTest, NamesTheVersionThatATypeNeeds) {
  EXPECT_THAT(Refuse("func.func @f(%a: tensor<2xi2>) -> tensor<2xi2> {\n  return %a : tensor<2xi2>\n}", {1, 1, 0}),
              AllOf(HasSubstr("tensor<2xi2>"), HasSubstr("1.2.0 or newer")));
}

TEST_F(WriteArtifactTest, NamesTheVersionThatAnAttributeNeeds) {
  EXPECT_THAT(Refuse("func.func @f(%a: tensor<2x3xf32>, %i: tensor<2x1xi32>) -> tensor<2xf32> {\n"
                     "  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims "
                     "= [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
                     "index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<2x1xi32>) -> "
                     "tensor<2xf32>\n  return %0 : tensor<2xf32>\n}",
                     {1, 0, 0}),
              AllOf(HasSubstr("stablehlo.gather"), HasSubstr("operand_batching_dims"), HasSubstr("1.1.0")));
}

TEST_F(WriteArtifactTest, RefusesModulesThatNoVersionCanExpress) {
  EXPECT_THAT(Refuse("func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {\n  %0 = arith.addi %a, %a : tensor<2xi32>\n"
                     "  return %0 : tensor<2xi32>\n}",
                     kNewestVhloVersion),
              AllOf(HasSubstr("in:2:"), HasSubstr("arith.addi has no form in a portable artifact")));
  EXPECT_THAT(Refuse("func.func private @f() attributes {a.b = #quant.nothing}", kNewestVhloVersion),
              HasSubstr("was not read"));
  EXPECT_THAT(Refuse("func.func private @f() attributes {a.b = affine_map<(d0) -> (d0)>}", kNewestVhloVersion),
              HasSubstr("attribute a.b = affine_map<(d0) -> (d0)> has no form in a portable artifact"));
}

TEST_F(WriteArtifactTest, SpellsSymbolsAndArraysOfUnknownAttributesAsTextAndTensors) {
  EXPECT_EQ(
      Rewrite("func.func private @f() attributes {a.s = [@f, {t = array<i64: 1, 2>}]}", {0, 9, 0}),
      Rewrite("func.func private @f() attributes {a.s = [\"f\", {t = dense<[1, 2]> : tensor<2xi64>}]}", {0, 9, 0}));
}

TEST_F(WriteArtifactTest, RefusesUnitAttributesWhichNoVersionCanExpress) {
  EXPECT_THAT(Refuse("func.func private @f(tensor<f32> {a.u})", kNewestVhloVersion),
              AllOf(HasSubstr("func.func"), HasSubstr("a.u"), HasSubstr("has no form in a portable artifact")));
}

// The form of an op changes with the version, but its meaning does not.
TEST_F(WriteArtifactTest, WritesTheFirstVersionThatHasAnOp) {
  const std::string tiled =
      "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.custom_call @x(%a) {result_tilings = "
      "[[dense<[8, 128]> : tensor<2xindex>]]} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}";
  EXPECT_THAT(Refuse(tiled, {1, 17, 0}), AllOf(HasSubstr("result_tilings"), HasSubstr("1.18.0 or newer")));
  EXPECT_THAT(Rewrite(tiled, {1, 18, 0}), HasSubstr("result_tilings"));
  const std::string root =
      "func.func @f(%a: tensor<4xf32>, %r: tensor<1xi32>) -> tensor<4xf32> {\n  %0 = "
      "\"stablehlo.collective_broadcast\"(%a, %r) <{replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root}> : "
      "(tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}";
  EXPECT_THAT(Refuse(root, {1, 19, 0}), AllOf(HasSubstr("collective_broadcast"), HasSubstr("1.20.0")));
  EXPECT_THAT(Rewrite(root, {1, 20, 0}), HasSubstr("has_dynamic_root"));
}

TEST_F(WriteArtifactTest, KeepsTheAxisOfAQuantizedType) {
  const std::string type = "tensor<1x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:-20}>>";
  EXPECT_THAT(Rewrite("func.func private @f(" + type + ")", kNewestVhloVersion), HasSubstr("i8:f32:1, {"));
}

TEST_F(WriteArtifactTest, NamesTheVersionThatAFormOfAnOpNeeds) {
  EXPECT_THAT(
      Refuse("func.func @f(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f64> {\n  %0 = stablehlo.reduce(%a init: "
             "%b) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f64>\n   reducer(%x: "
             "tensor<f64>, %y: tensor<f64>) {\n    %1 = stablehlo.add %x, %y : tensor<f64>\n    "
             "stablehlo.return %1 : tensor<f64>\n  }\n  return %0 : tensor<f64>\n}",
             {0, 16, 0}),
      AllOf(HasSubstr("stablehlo.reduce"), HasSubstr("another type"), HasSubstr("0.17.0 or newer")));
  EXPECT_THAT(Refuse("func.func @f() {\n  stablehlo.custom_call @x() {api_version = 4 : i32} : () -> ()\n  return\n}",
                     {1, 2, 0}),
              AllOf(HasSubstr("stablehlo.custom_call"), HasSubstr("api_version = 4"), HasSubstr("1.3.0 or newer")));
}

TEST(ParseVhloVersion, AcceptsOnlyVersionsThatExist) {
  EXPECT_EQ(ParseVhloVersion("1.13.7"), (VhloVersion{1, 13, 0}));
  EXPECT_EQ(ParseVhloVersion("one").error().code, ExitCode::kUsage);
  EXPECT_EQ(ParseVhloVersion("1.2").error().code, ExitCode::kUsage);
  EXPECT_EQ(ParseVhloVersion("1.2.3.4").error().code, ExitCode::kUsage);
  EXPECT_EQ(ParseVhloVersion("0.8.0").error().code, ExitCode::kUnsupported);
  EXPECT_EQ(ParseVhloVersion("9.0.0").error().code, ExitCode::kUnsupported);
}

}  // namespace
}  // namespace opbyop
