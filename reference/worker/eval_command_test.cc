// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/eval_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "reference/tensor/tensor.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace opbyop::reference {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class EvalCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("opbyop-eval-" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  ExitCode Run(const std::string& text, EvalCommandOptions options = {}) {
    EXPECT_TRUE(WriteFile(dir_ / "program.mlir", text).has_value());
    options.file = dir_ / "program.mlir";
    std::ostringstream out;
    const Expected<EvalReport> report = RunEval(options, out);
    output_ = report ? out.str() : report.error().message;
    return report ? report->exit_code() : report.error().code;
  }

  fs::path dir_;
  std::string output_;
};

const char* kCheck = R"(func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
)";

TEST_F(EvalCommandTest, PrintsResults) {
  EXPECT_EQ(Run(R"(func.func @main() -> tensor<2xi32> {
    %0 = stablehlo.constant dense<[4, -5]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  })"),
            ExitCode::kOk);
  EXPECT_EQ(output_, "result 0: tensor<2xi32> = [4, -5]\n");
}

TEST_F(EvalCommandTest, AFailedCheckNamesPlaceIndexAndValues) {
  EXPECT_EQ(Run(kCheck), ExitCode::kUnexpectedResult);
  EXPECT_THAT(output_, HasSubstr("program.mlir:4: "));
  EXPECT_THAT(output_, HasSubstr("[1]: got 2, expected 3"));
}

TEST_F(EvalCommandTest, EachSectionIsJudgedByItself) {
  const std::string good = R"(func.func @f() -> tensor<i32> {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    return %0 : tensor<i32>
  }
)";
  EXPECT_EQ(Run(good + "// -----\n" + kCheck + "// -----\n\n// -----\nnot mlir\n", {.split_input_file = true}),
            ExitCode::kUnexpectedResult);
  EXPECT_THAT(output_, HasSubstr("2 passed, 2 failed"));
  // The line is counted from the start of the file, not of the section.
  EXPECT_THAT(output_, HasSubstr("program.mlir:9: "));
}

TEST_F(EvalCommandTest, InputsComeFromFilesOrTheSeed) {
  const std::string negate = R"(func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.negate %a : tensor<2xi32>
    return %0 : tensor<2xi32>
  })";
  const Tensor input = Tensor::Of<int64_t>(ElementType::kI32, {2}, {3, -4});
  ASSERT_TRUE(WriteNpy(dir_ / "a.npy", input.tensor_type(), TensorToBytes(input)).has_value());
  EXPECT_EQ(Run(negate, {.inputs = {dir_ / "a.npy"}, .output_dir = dir_ / "out"}), ExitCode::kOk);
  EXPECT_THAT(output_, HasSubstr("[-3, 4]"));
  EXPECT_TRUE(fs::exists(dir_ / "out" / "result_0.npy"));
  EXPECT_EQ(Run(negate), ExitCode::kOk);
  EXPECT_EQ(Run(negate, {.inputs = {dir_ / "a.npy", dir_ / "a.npy"}}), ExitCode::kUsage);
  EXPECT_EQ(Run(negate, {.inputs = {dir_ / "missing.npy"}}), ExitCode::kNoInput);
}

TEST_F(EvalCommandTest, SumsRoundedAtEveryStepAreAnswersToo) {
  // 1 + 2^-24 + 2^-24 is exactly 1 + 2^-23, but 1 if every sum is rounded.
  const std::string text = R"(func.func @main() {
    %a = stablehlo.constant dense<[1.0, 5.9604644775390625e-08, 5.9604644775390625e-08]> : tensor<3xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %e = stablehlo.constant dense<EXPECTED> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%0, %e) : (tensor<f32>, tensor<f32>) -> ()
    return
  })";
  const auto with = [&](const std::string& value) {
    std::string t = text;
    return t.replace(t.find("EXPECTED"), 8, value);
  };
  EXPECT_EQ(Run(with("1.00000011920928955078125")), ExitCode::kOk) << output_;
  EXPECT_EQ(Run(with("1.0")), ExitCode::kOk) << output_;
  EXPECT_EQ(Run(with("1.000001")), ExitCode::kUnexpectedResult);
}

TEST_F(EvalCommandTest, BadInputHasItsCode) {
  EXPECT_EQ(Run("func.func @f(", {}), ExitCode::kBadInput);
  EXPECT_EQ(Run("func.func @a() { return }\nfunc.func @b() { return }"), ExitCode::kBadInput);
  EXPECT_THAT(output_, HasSubstr("no function @main in the module, only @a, @b; name the one that runs with --entry"));
}

const char* kTwo = R"(func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  return %0 : tensor<i32>
}
func.func @other() -> tensor<i32> {
  %0 = func.call @main() : () -> tensor<i32>
  %1 = stablehlo.negate %0 : tensor<i32>
  return %1 : tensor<i32>
}
)";

TEST_F(EvalCommandTest, TheFunctionThatIsAskedForRuns) {
  EXPECT_EQ(Run(kTwo), ExitCode::kOk);
  EXPECT_EQ(output_, "result 0: tensor<i32> = [1]\n");
  EXPECT_EQ(Run(kTwo, {.entry = "other"}), ExitCode::kOk);
  EXPECT_EQ(output_, "result 0: tensor<i32> = [-1]\n");
  EXPECT_EQ(Run(kTwo, {.entry = "third"}), ExitCode::kBadInput);
  EXPECT_THAT(output_, HasSubstr("no function @third in the module, only @main, @other"));
}

TEST_F(EvalCommandTest, AFolderOfTorchXlaIsItsFunction) {
  ASSERT_TRUE(WriteFile(dir_ / "saved/functions/forward.bytecode", kTwo));
  std::ostringstream out;
  EvalCommandOptions options;
  options.file = dir_ / "saved";
  const Expected<EvalReport> report = RunEval(options, out);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(out.str(), "result 0: tensor<i32> = [1]\n");
}

const char* kProbes = R"(func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = interpreter.probe %a, probe_id = "twice/a" : tensor<2xf32>
  %c = stablehlo.add %b, %b : tensor<2xf32>
  return %c : tensor<2xf32>
}
)";

TEST_F(EvalCommandTest, AProgramThatExceedsTheMemoryIsUnsupported) {
  EXPECT_EQ(Run(R"(func.func @main() -> tensor<1000000x1000000xf32> {
    %0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>
    return %0 : tensor<1000000x1000000xf32>
  })"),
            ExitCode::kUnsupported);
  EXPECT_THAT(output_, HasSubstr("reference too large: "));
}

TEST_F(EvalCommandTest, ProbesWriteMarkedValues) {
  EXPECT_EQ(Run(kProbes, {.output_dir = dir_ / "out", .probe = ProbeKind::kMarked}), ExitCode::kOk);
  EXPECT_EQ(ReadFile(dir_ / "out/index.csv").value(),
            "file,name,iteration,result,dtype,shape,location\n"
            "probe_0_twice_a.npy,twice/a,0,0,f32,2," +
                (dir_ / "program.mlir").string() + ":3\n");
  EXPECT_EQ(ReadNpy(dir_ / "out/probe_0_twice_a.npy").value().shape(), std::vector<int64_t>{2});
}

TEST_F(EvalCommandTest, AllProbesWriteTheResultsOfEveryOp) {
  EXPECT_EQ(Run(kProbes, {.output_dir = dir_ / "out", .probe = ProbeKind::kAll}), ExitCode::kOk);
  EXPECT_TRUE(fs::exists(dir_ / "out/probe_0_stablehlo.constant.npy"));
  EXPECT_TRUE(fs::exists(dir_ / "out/probe_1_twice_a.npy"));
  EXPECT_TRUE(fs::exists(dir_ / "out/probe_2_stablehlo.add.npy"));
}

TEST_F(EvalCommandTest, LoopsAreProbedOncePerIterationAndBodiesOfReductionsNotAtAll) {
  EXPECT_EQ(Run(R"(func.func @main(%a: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.negate %x : tensor<4xf32>
      stablehlo.return %n, %y : tensor<i32>, tensor<4xf32>
    }
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0#1 init: %init) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%p: tensor<f32>, %q: tensor<f32>) {
      %d = stablehlo.divide %p, %q : tensor<f32>
      %s = stablehlo.subtract %d, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
  return %1 : tensor<f32>
})",
                {.output_dir = dir_ / "out", .probe = ProbeKind::kAll}),
            ExitCode::kOk)
      << output_;
  const std::string index = ReadFile(dir_ / "out/index.csv").value();
  EXPECT_THAT(index, HasSubstr(",stablehlo.negate,2,0,f32,4,"));
  EXPECT_THAT(index, testing::Not(HasSubstr(",stablehlo.negate,3,")));
}

TEST_F(EvalCommandTest, EachSectionHasItsOwnFolder) {
  const std::string two = std::string(kProbes) + "// -----\n" + kProbes;
  EXPECT_EQ(Run(two, {.output_dir = dir_ / "out", .probe = ProbeKind::kMarked, .split_input_file = true}),
            ExitCode::kOk);
  EXPECT_TRUE(fs::exists(dir_ / "out/section_0/result_0.npy"));
  EXPECT_TRUE(fs::exists(dir_ / "out/section_1/index.csv"));
  EXPECT_EQ(output_, "2 passed, 0 failed\n");
}

TEST_F(EvalCommandTest, ProbesWithoutAFolderAreAUsageError) {
  EXPECT_EQ(Run(kProbes, {.probe = ProbeKind::kAll}), ExitCode::kUsage);
  EXPECT_THAT(output_, HasSubstr("--output"));
}

TEST_F(EvalCommandTest, AnInputOfAnotherTypeIsNamed) {
  const std::vector<std::byte> bytes(8);
  ASSERT_TRUE(WriteNpy(dir_ / "a.npy", {{2}, "i32"}, bytes).has_value());
  EXPECT_EQ(Run("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n",
                {.inputs = {dir_ / "a.npy"}}),
            ExitCode::kBadInput);
  EXPECT_THAT(output_, HasSubstr("a.npy: has elements of '<i4', argument 0 wants f32 ('<f4')"));
}

TEST_F(EvalCommandTest, AFailedEqualityNamesTheUlpDistance) {
  EXPECT_EQ(Run(R"(func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %a, dense<[1.0, 2.0000005]> : tensor<2xf32>
  return
})"),
            ExitCode::kUnexpectedResult);
  EXPECT_THAT(output_, HasSubstr("[1]: got 2, expected 2.0000005 (2 ULP)"));
}

}  // namespace
}  // namespace opbyop::reference
