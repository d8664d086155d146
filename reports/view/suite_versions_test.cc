// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/suite_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kFftId = "fft_4_f32_00000002";
constexpr const char* kSinId = "sine_4_f32_00000003";
constexpr const char* kTanhId = "tanh_4_f32_00000001";

// Two runs: both have tanh, one fft and the other sine.
class SuiteVersionsTest : public testing::Test {
 protected:
  SuiteVersionsTest() {
    for (ExampleRun* run : {&first_, &second_}) Add(*run, kTanhId);
    Add(first_, kFftId);
    Add(second_, kSinId);
  }

  static void Add(ExampleRun& run, const char* id) {
    run.AddCase(id, "stablehlo.tanh", {"bert"});
    run.AddRecord(id, Status::kPass);
  }

  std::string Compare() {
    const View first = first_.MakeView(), second = second_.MakeView();
    const std::vector<ComparedRun> runs = {{&first, ""}, {&second, ""}};
    std::vector<ComparedCase> cases = JoinCases(runs);
    const std::string note = KeepComparable(runs, cases);
    left_.clear();
    for (const ComparedCase& compared : cases) left_.push_back(compared.c->id);
    return note;
  }

  ExampleRun first_, second_;
  std::vector<std::string> left_;
};

TEST_F(SuiteVersionsTest, OnlyCasesOfBothVersionsAreCompared) {
  first_.manifest.suite = {.name = "stablehlo", .version = "0.1", .level = "full"};
  second_.manifest.suite = {.name = "stablehlo", .version = "0.2", .level = "full"};
  const std::string note = Compare();
  EXPECT_THAT(note, HasSubstr("not of one suite and version: stablehlo 0.1 full, stablehlo 0.2 full."));
  EXPECT_THAT(note, HasSubstr("the 1 case that all of them have; 2 others are left out"));
  EXPECT_THAT(left_, testing::ElementsAre(kTanhId));
}

TEST_F(SuiteVersionsTest, AVersionWithOtherCasesIsAnother) {
  first_.manifest.suite = {.name = "stablehlo", .version = "0.1", .level = "full", .digest = "11111111aa"};
  second_.manifest.suite = {.name = "stablehlo", .version = "0.1", .level = "full", .digest = "22222222aa"};
  EXPECT_THAT(Compare(), HasSubstr("stablehlo 0.1 full (11111111), stablehlo 0.1 full (22222222)"));
  EXPECT_THAT(left_, SizeIs(1));
}

TEST_F(SuiteVersionsTest, RunsOfOneVersionAreComparedAsTheyAre) {
  first_.manifest.suite =
      second_.manifest.suite = {.name = "stablehlo", .version = "0.1", .level = "full", .digest = "11"};
  EXPECT_THAT(Compare(), IsEmpty());
  EXPECT_THAT(left_, SizeIs(3));
  first_.manifest.suite->digest = "";
  EXPECT_THAT(Compare(), IsEmpty()) << "a manifest of before there were digests";
}

TEST_F(SuiteVersionsTest, RunsOfModelsAreComparedAsTheyAre) {
  EXPECT_THAT(Compare(), IsEmpty());
  EXPECT_THAT(left_, SizeIs(3));
}

TEST_F(SuiteVersionsTest, ASuiteAndModelsAreNotTheSame) {
  first_.manifest.suite = {.name = "stablehlo", .version = "0.1", .level = "full"};
  EXPECT_THAT(Compare(), HasSubstr("stablehlo 0.1 full, models."));
}

}  // namespace
}  // namespace opbyop::reports
