// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/python_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "reference/meanings/call_attribute.h"
#include "reference/meanings/meanings.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

// validation/custom_calls/python_meaning_test.py calls functions, which needs NumPy.
class PythonFileTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "vendor.py";
    EXPECT_TRUE(WriteFile(path, text).has_value());
    return path;
  }

  // The error of a file with this text; "" if it can be read.
  std::string ErrorOf(const std::string& text) {
    const Expected<PythonFile> file = PythonFile::Load(Write(text));
    return file ? "" : file.error().message;
  }

  TestFolder folder_;
};

TEST_F(PythonFileTest, AFunctionWithAToleranceIsTheMeaningOfItsNameAndOthersAreHelpers) {
  const Expected<PythonFile> file = PythonFile::Load(Write(R"(
def helper(x): return x
def exact(x): return helper(x)
exact.tolerance = "exact"
def near(x): return x
near.tolerance = {"ulps": 4, "relative": 1e-6, "absolute": 0.5}
near.seconds = 2.5
MEANINGS = {"vendor.near": near}
)"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->functions(), ElementsAre(Key("exact"), Key("near"), Key("vendor.near")));
  EXPECT_EQ(ToText(file->functions().at("exact")), "bit for bit");
  EXPECT_EQ(file->functions().at("exact").seconds, 60);
  EXPECT_EQ(ToText(file->functions().at("vendor.near")), "within 4 ulp + 1e-06 of the result + 0.5");
  EXPECT_EQ(file->functions().at("vendor.near").seconds, 2.5);
}

TEST_F(PythonFileTest, AFileMayImportModulesBesideIt) {
  ASSERT_TRUE(WriteFile(folder_.path() / "beside.py", "def f(x): return x\nf.tolerance = 'exact'\n").has_value());
  const Expected<PythonFile> file = PythonFile::Load(Write("import beside\nMEANINGS = {'vendor.f': beside.f}"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->functions(), ElementsAre(Key("vendor.f")));
}

TEST_F(PythonFileTest, WhatAFilePrintsAndLeavesBehindIsIgnored) {
  EXPECT_EQ(ErrorOf("import threading, time\nprint('x' * 1000000)\n"
                    "threading.Thread(target=lambda: time.sleep(1000)).start()\n"
                    "def f(x): return x\nf.tolerance = 'exact'\n"),
            "");
}

TEST_F(PythonFileTest, AFileThatIsNoMeaningIsRefusedWithTheReason) {
  EXPECT_THAT(ErrorOf("def f(x) return x"), HasSubstr("vendor.py:1: SyntaxError"));
  EXPECT_THAT(ErrorOf("x = 1\nraise KeyError('y')"), HasSubstr("vendor.py:2: KeyError: 'y'"));
  EXPECT_THAT(ErrorOf("x = 1"), HasSubstr("vendor.py defines nothing"));
  EXPECT_THAT(ErrorOf("import os; os._exit(3)"), HasSubstr("ended with exit code 3 and no result"));
  EXPECT_THAT(ErrorOf("MEANINGS = {'a': 3}"), HasSubstr("a is not a function"));
  for (const char* tolerance : {"1", "{}", "{'ulp': 1}", "{'ulps': -1}", "{'ulps': True}", "{'ulps': float('nan')}"}) {
    EXPECT_THAT(ErrorOf(std::string("def f(x): return x\nf.tolerance = ") + tolerance), HasSubstr("f has no tolerance"))
        << tolerance;
  }
  EXPECT_THAT(ErrorOf("def f(x): return x\nf.tolerance = 'exact'\nf.seconds = 0"), HasSubstr("f.seconds is 0"));
  EXPECT_EQ(PythonFile::Load(folder_.path() / "absent.py").error().code, ExitCode::kNoInput);
}

TEST_F(PythonFileTest, ACallThatAFileDefinesKeepsItsPlaceAndSaysByWhom) {
  Write("def scale(x): return x\nscale.tolerance = {'ulps': 1}");
  const Expected<Meanings> meanings = Meanings::Load({folder_.path() / "vendor.py"});
  ASSERT_TRUE(meanings) << meanings.error().message;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @scale(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                          "test.mlir", context);
  const Expected<Applied> applied = meanings->Apply(module->get());
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->words, "scale as vendor.py computes it, within 1 ulp");
}

TEST_F(PythonFileTest, InputsAreDemandsOnTheOperandsOfTheirNames) {
  const Expected<PythonFile> file = PythonFile::Load(Write(R"(
def solve(a, b, attributes): return b
solve.tolerance = "exact"
solve.inputs = {"b": (-1, 2.5), "a": "triangular"}
)"));
  ASSERT_TRUE(file) << file.error().message;
  const std::map<size_t, DeclaredInput>& inputs = file->functions().at("solve").inputs;
  ASSERT_THAT(inputs, ElementsAre(Key(0), Key(1)));
  EXPECT_EQ(inputs.at(0).matrix, Matrix::kTriangular);
  EXPECT_EQ(inputs.at(1).range, std::make_pair(-1.0, 2.5));
}

TEST_F(PythonFileTest, InputsThatAreNoDemandsAreRefusedWithTheReason) {
  const auto error = [&](const std::string& inputs) {
    return ErrorOf("def f(x, attributes): return x\nf.tolerance = 'exact'\nf.inputs = " + inputs);
  };
  EXPECT_THAT(error("{'y': (0, 1)}"), HasSubstr("f.inputs names 'y', but its operands are x"));
  EXPECT_THAT(error("{'attributes': (0, 1)}"), HasSubstr("f.inputs names 'attributes'"));
  EXPECT_THAT(error("{0: (0, 1)}"), HasSubstr("f.inputs names 0"));
  EXPECT_THAT(error("(0, 1)"), HasSubstr("f.inputs is (0, 1), expected a dictionary"));
  for (const char* demand : {"'square'", "(1, 0)", "(0,)", "(0, float('nan'))", "('a', 'b')", "3", "[[0], [1]]"}) {
    EXPECT_THAT(error(std::string("{'x': ") + demand + "}"), HasSubstr("expected 'triangular'")) << demand;
  }
}

TEST_F(PythonFileTest, NoPolicyDrawsAnInputThatAFunctionExcludes) {
  Write("def pick(x, places): return x\npick.tolerance = 'exact'\npick.inputs = {'places': (1, 3)}");
  const Expected<Meanings> meanings = Meanings::Load({folder_.path() / "vendor.py"});
  ASSERT_TRUE(meanings) << meanings.error().message;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(
      R"(func.func @main(%x: tensor<2xf32>, %places: tensor<2xi32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @pick(%x, %places) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
      "test.mlir", context);
  ASSERT_TRUE(meanings->Apply(module->get()));
  auto main = module->get().lookupSymbol<mlir::func::FuncOp>("main");
  const InputRole role = RoleOfArgument(main.getArgument(1));
  EXPECT_EQ(role.low, 1);
  EXPECT_EQ(role.high, 3);
  EXPECT_FALSE(role.IsSpecified(0));
  EXPECT_FALSE(role.IsSpecified(4));
  EXPECT_EQ(RoleOfArgument(main.getArgument(0)).low, -2) << "of x nothing is demanded";
}

TEST(CallAttributesTest, AreThoseOfTheCallAndOfItsDictionaries) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(
      R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @f(%x) {mhlo.backend_config = {axis = 1 : i64, eps = 0.5 : f32, flip = true,
      sizes = array<i64: 2, 3>, mode = "full"}, backend_config = "{\"a\": 1}", mhlo.attributes = {axis = 2 : i64}}
      : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
      "test.mlir", context);
  ASSERT_TRUE(module) << module.error().message;
  nlohmann::json all;
  module->get()->walk([&](mlir::Operation* op) {
    if (op->getName().getStringRef() == "stablehlo.custom_call") all = CallAttributes(op);
  });
  EXPECT_EQ(all["axis"], 1) << "as FindCallAttribute finds it";
  EXPECT_EQ(all["eps"], 0.5);
  EXPECT_EQ(all["flip"], true);
  EXPECT_EQ(all["sizes"], nlohmann::json({2, 3}));
  EXPECT_EQ(all["mode"], "full");
  EXPECT_EQ(all["backend_config"], R"({"a": 1})");
  EXPECT_EQ(all["call_target_name"], "f");
}

}  // namespace
}  // namespace opbyop::reference
