// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/diagnosis.h"

#include <gtest/gtest.h>

namespace opbyop::command {
namespace {

constexpr std::string_view kWarning =
    "loc(\"ttir.mlir\":1:1): warning: Empty argument type map provided. Skipping argument type population.\n"
    "module {\n"
    "^\n";

std::string Quote(std::string_view tail) {
  return QuoteDiagnostic(std::string(kWarning) + std::string(tail), {}, {.scratch = "/s"});
}

TEST(QuoteDiagnosticTest, TakesTheErrorLineAndNotTheWarningBeforeIt) {
  EXPECT_EQ(Quote("/s/a.mlir:2:8: error: failed to legalize operation 'stablehlo.while'\n"
                  "  %0 = stablehlo.while\n       ^\n"
                  "/s/a.mlir:2:8: note: see current operation: ...\n"),
            "a.mlir:2:8: error: failed to legalize operation 'stablehlo.while'");
}

TEST(QuoteDiagnosticTest, TakesAFailedAssertionIfThereIsNoErrorLine) {
  EXPECT_EQ(Quote("opt: Utils.h:49: alignUp(): Assertion `a > 0' failed.\n"
                  "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: opt\n #0 0x1 f (/bin/opt+0x1)\n"),
            "opt: Utils.h:49: alignUp(): Assertion `a > 0' failed.");
}

TEST(QuoteDiagnosticTest, TakesTheBareMessageBeforeTheRequestForABugReport) {
  EXPECT_EQ(Quote("Unsupported element type.\nPLEASE submit a bug report to x\nStack dump:\n"),
            "Unsupported element type.");
}

TEST(QuoteDiagnosticTest, TakesTheMessageBeforeAnUnreachable) {
  EXPECT_EQ(Quote("Unsupported element type.\nUNREACHABLE executed at /b/lib/Utils.h:49!\n"
                  "PLEASE submit a bug report to x\nStack dump:\n0.\tProgram arguments: opt /s/ttir.mlir\n"),
            "Unsupported element type. (UNREACHABLE executed at /b/lib/Utils.h:49!)");
}

TEST(QuoteDiagnosticTest, EqualFailuresHaveEqualDiagnostics) {
  const auto quote = [](const std::string& file) {
    return QuoteDiagnostic("loc(\"" + file + "\":2:8): error: no", {},
                           {.scratch = "/s", .file = file, .file_name = "case.mlir"});
  };
  EXPECT_EQ(quote("/runs/a/cases/while_f32_1.mlir"), "loc(\"case.mlir\":2:8): error: no");
  EXPECT_EQ(quote("/runs/a/cases/while_f32_1.mlir"), quote("/runs/b/cases/while_f64_2.mlir"));
}

TEST(QuoteDiagnosticTest, AReplacedPathIsNotSearchedAgain) {
  EXPECT_EQ(QuoteDiagnostic("error: a", {}, {.file = "a", .file_name = "aa"}), "error: aa");
}

TEST(QuoteDiagnosticTest, TakesTheEndOfATraceback) {
  EXPECT_EQ(Quote("Traceback (most recent call last):\n  File \"x.py\", line 1\nRuntimeError: TT_FATAL @ a.cpp:3\n"),
            "RuntimeError: TT_FATAL @ a.cpp:3");
}

TEST(QuoteDiagnosticTest, TakesTheLastPlainLineOfAnUnknownTool) {
  EXPECT_EQ(Quote("cannot open device 0\n\n"), "cannot open device 0");
}

TEST(QuoteDiagnosticTest, QuotesAWarningIfThereIsNothingElse) {
  EXPECT_EQ(QuoteDiagnostic("x: warning: odd\n", {}, {.scratch = "/s"}), "x: warning: odd");
}

TEST(QuoteDiagnosticTest, PrefersTheStagesOwnPattern) {
  EXPECT_EQ(QuoteDiagnostic("a: error: first\nTT_FATAL: the cause\n", {"TT_FATAL"}, {.scratch = "/s"}),
            "TT_FATAL: the cause");
}

TEST(QuoteDiagnosticTest, MakesBinaryOutputPrintable) {
  EXPECT_EQ(QuoteDiagnostic(std::string_view("error: \x01\xff\x80 bad\n"), {}, {.scratch = "/s"}), "error: ??? bad");
}

TEST(QuoteDiagnosticTest, CutsAVeryLongLine) {
  EXPECT_LE(QuoteDiagnostic("error: " + std::string(1 << 20, 'x'), {".*oops"}, {.scratch = "/s"}).size(), 400u);
}

TEST(QuoteDiagnosticTest, IsEmptyForASilentTool) { EXPECT_EQ(QuoteDiagnostic("", {}, {.scratch = "/s"}), ""); }

TEST(FindMeaningTest, GivesTheReasonOfTheFirstMatch) {
  EXPECT_EQ(FindMeaning("x\n func.call @cpu_hoisted\n", {{"cpu_hoist", "runs on the CPU"}}), "runs on the CPU");
}

TEST(FindMeaningTest, ReturnsTheLineIfThereIsNoReason) {
  EXPECT_EQ(FindMeaning("a\n  f64 is not supported\n", {{"not supported", ""}}), "f64 is not supported");
}

TEST(FindMeaningTest, SearchesALongLineToItsEnd) {
  const std::string line = "%0 = ttnn.constant dense<\"" + std::string(20'000, 'A') + "\"> @cpu_hoisted";
  EXPECT_EQ(FindMeaning("module {\n" + line + "\n}\n", {{"cpu_hoist", "runs on the CPU"}}), "runs on the CPU");
}

TEST(FindMeaningTest, FindsNothingInOtherText) { EXPECT_EQ(FindMeaning("a\n", {{"b", ""}}), std::nullopt); }

}  // namespace
}  // namespace opbyop::command
