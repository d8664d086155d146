// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/comparison/conformance_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

// The report, as text, that compares the runs.
std::string PageOf(decltype(&ConformancePage) report, const std::vector<ComparedRun>& runs) {
  return report(runs, JoinCases(runs));
}

using testing::HasSubstr;
using testing::Not;

constexpr const char* kFftCase = "fft_4_f32_00000002";
constexpr const char* kTanhCase = "tanh_4_f32_00000001";

// host fails fft in lower; vendor compiles both and executes neither.
class ConformanceTest : public testing::Test {
 protected:
  ConformanceTest() {
    vendor_.run.header.target = "vendor";
    vendor_.run.header.toolchain = "vendor 1.0";
    vendor_.run.header.compile_only = "no chip";
    for (ExampleRun* run : {&host_, &vendor_}) {
      run->AddCase(kTanhCase, "stablehlo.tanh", {"bert"});
      run->AddCase(kFftCase, "stablehlo.fft", {"bert", "nn"});
      run->AddRecord(kTanhCase, Status::kPass);
    }
    host_.AddRecord(kFftCase, Status::kFail, "lower", "no | fft").repro = "opbyop repro bert__fft";
    vendor_.AddRecord(kFftCase, Status::kPass);
  }

  std::string Page() {
    const View host = host_.MakeView(), vendor = vendor_.MakeView();
    return PageOf(&ConformancePage, {{&host, "host/index.html"}, {&vendor, "vendor/index.html"}});
  }

  ExampleRun host_, vendor_;
};

TEST_F(ConformanceTest, AnOpHasACellPerTargetWithTypesAndShapes) {
  EXPECT_THAT(Page(), HasSubstr("| stablehlo.fft | f32 | 1 | 0/1: 1 fail in lower | 1 |"));
  EXPECT_THAT(Page(), HasSubstr("| stablehlo.tanh | f32 | 1 | 1 | 1 |"));
}

TEST_F(ConformanceTest, ATargetThatExecutesNothingIsMarked) {
  EXPECT_THAT(Page(), HasSubstr("| vendor (compiled only) |"));
  EXPECT_THAT(Page(), HasSubstr("| host |"));
}

TEST_F(ConformanceTest, AnOpThatDoesNotPassHasItsFirstDiagnosticAndCommand) {
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("### stablehlo.fft"));
  EXPECT_THAT(page, HasSubstr("- host, 1 fail in lower, first (2x3xf32, 2x3xf32) -> (2x3xf32): no \\| fft"));
  EXPECT_THAT(page, HasSubstr("`opbyop repro bert__fft`"));
  EXPECT_THAT(page, Not(HasSubstr("### stablehlo.tanh")));
}

TEST_F(ConformanceTest, ACommandHasNoFoldersOfTheMachineThatRanIt) {
  const auto shown = [&](const char* repro) {
    host_.run.cases.back().repro = repro;
    return Page();
  };
  EXPECT_THAT(shown("/home/me/opbyop/build/bin/opbyop repro bert__fft --run=/home/me/opbyop/out/nightly --target=host"),
              HasSubstr("`opbyop repro bert__fft --run=out/nightly --target=host`"));
  EXPECT_THAT(shown("/usr/bin/opbyop repro bert__fft --run=/home/me/run"),
              HasSubstr("`opbyop repro bert__fft --run=/home/me/run`"));
}

TEST_F(ConformanceTest, TargetsOfOneCompilerAreMarkedAsOne) {
  EXPECT_THAT(Page(), Not(HasSubstr("One compiler")));
  host_.run.header.properties = vendor_.run.header.properties = {{"plugin_package", "plugin 1.0"}};
  EXPECT_THAT(Page(), HasSubstr("- One compiler, plugin 1.0: host, vendor; 1 of 2 cases ends alike on all of them.\n"));
}

TEST_F(ConformanceTest, TargetsOfOneToolchainOnTwoDevicesAreMarkedAsOne) {
  host_.run.header.toolchain = "compiler 3.1 on chip a --target=a";
  vendor_.run.header.toolchain = "compiler 3.1 on chip b --target=b";
  EXPECT_THAT(Page(), HasSubstr("- One compiler, compiler 3.1: host, vendor; "));
  vendor_.run.header.toolchain = "compiler 3.2 on chip b --target=b";
  EXPECT_THAT(Page(), Not(HasSubstr("One compiler")));
}

TEST_F(ConformanceTest, ACaseThatATargetLacksIsADash) {
  vendor_.AddCase("sort_4_f32_00000003", "stablehlo.sort", {"bert"});
  vendor_.AddRecord("sort_4_f32_00000003", Status::kPass);
  EXPECT_THAT(Page(), HasSubstr("| stablehlo.sort | f32 | 1 | – | 1 |"));
}

TEST_F(ConformanceTest, RunsThatAllPassHaveNoSecondPart) {
  const View vendor = vendor_.MakeView();
  EXPECT_THAT(PageOf(&ConformancePage, {{&vendor, "x"}}), Not(HasSubstr("What does not pass")));
}

TEST_F(ConformanceTest, TheSummaryShowsOpsThatEndDifferently) {
  const View host = host_.MakeView(), vendor = vendor_.MakeView();
  const std::string text = PageOf(&ConformanceSummary, {{&host, "x"}, {&vendor, "y"}});
  EXPECT_THAT(text, HasSubstr("stablehlo.fft"));
  EXPECT_THAT(text, Not(HasSubstr("stablehlo.tanh")));
}

}  // namespace
}  // namespace opbyop::reports
