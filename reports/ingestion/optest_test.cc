// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/optest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "reports/ingestion/ingestion_rules.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Json OpTestOf(const ExampleRun& example, int64_t job_id = 1001) {
  const View view = example.MakeView();
  return Json::parse(ReportText(OpTestReport(job_id), view));
}

Json Find(const Json& tests, std::string_view name) {
  for (const Json& test : tests) {
    if (test["test_case_name"] == name) return test;
  }
  return Json();
}

TEST(OpTestTest, EveryRequiredFieldIsThereWithItsType) {
  const Json tests = OpTestOf(EveryStatus());
  EXPECT_EQ(tests.size(), 27u);  // 26 rows and a model that could not be split
  for (const Json& test : tests) {
    for (const char* field : {"full_test_name", "test_start_ts", "test_case_name", "filepath", "frontend", "model_name",
                              "op_kind", "op_name", "framework_op_name"}) {
      ASSERT_TRUE(test.contains(field) && test[field].is_string()) << field << " of " << test;
      EXPECT_NE(test[field], "") << field << " of " << test;
    }
    EXPECT_EQ(test["github_job_id"], 1001);
    EXPECT_TRUE(test["success"].is_boolean());
    EXPECT_TRUE(test["skipped"].is_boolean());
    EXPECT_TRUE(test["inputs"].is_array());
    EXPECT_TRUE(test["outputs"].is_array());
  }
}

TEST(OpTestTest, EveryStatusHasItsMapping) {
  const Json tests = OpTestOf(EveryStatus());
  struct Expectation {
    const char* name;
    Json status;
    bool success;
    bool skipped;
  };
  const std::vector<Expectation> expectations = {
      {"bert__a_pass", "success", true, false},         {"bert__b_fail", "compile_failed", false, false},
      {"bert__c_wrong", "golden_failed", false, false}, {"bert__d_crash", "compile_failed", false, false},
      {"bert__e_timeout", "run_failed", false, false},  {"bert__f_out_of_memory", "run_failed", false, false},
      {"bert__g_unsupported", nullptr, false, true},    {"bert__h_inconclusive", nullptr, false, true},
      {"bert__i_skipped", nullptr, false, true},        {"bert__j_flaky", nullptr, false, false},
      {"bert__k_missing", nullptr, false, false},       {"bert__l_expected", "run_failed", false, true},
      {"bert__m_unexpected", "success", false, false},  {"cut__split", "compile_failed", false, false},
  };
  for (const Expectation& expected : expectations) {
    const Json test = Find(tests, expected.name);
    ASSERT_FALSE(test.is_null()) << expected.name;
    EXPECT_EQ(test["status"], expected.status) << expected.name;
    EXPECT_EQ(test["success"], expected.success) << expected.name;
    EXPECT_EQ(test["skipped"], expected.skipped) << expected.name;
    EXPECT_EQ(test["message"].is_null(), expected.success) << expected.name;
  }
}

TEST(OpTestTest, ASuccessNamesItsCompileDepth) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass, "lower");
  EXPECT_EQ(OpTestOf(example)[0]["config"]["compile_depth"], "EXECUTE_OP_BY_OP");
  example.run.header.compile_only = "no board";
  const Json test = OpTestOf(example)[0];
  EXPECT_EQ(test["success"], true);
  EXPECT_EQ(test["status"], "success");
  EXPECT_EQ(test["message"], "compiled only, not executed: no board");
  EXPECT_EQ(test["config"]["compile_depth"], "COMPILE_OP_BY_OP");
  EXPECT_EQ(test["config"]["compile_only"], "no board");
  example.run.header.mode = "whole";
  EXPECT_EQ(OpTestOf(example)[0]["config"]["compile_depth"], "COMPILE");
}

TEST(OpTestTest, FailureIsClassedByItsStage) {
  EXPECT_EQ(ClassifyFailure(Status::kFail, "parse"), OpTestStatus::kCompileFailed);
  EXPECT_EQ(ClassifyFailure(Status::kCrash, "llvm-to-flatbuffer"), OpTestStatus::kCompileFailed);
  EXPECT_EQ(ClassifyFailure(Status::kFail, "load"), OpTestStatus::kRunFailed);
  EXPECT_EQ(ClassifyFailure(Status::kTimeout, "execute"), OpTestStatus::kRunFailed);
  EXPECT_EQ(ClassifyFailure(Status::kCrash, "inputs"), OpTestStatus::kRunFailed);
  EXPECT_EQ(ClassifyFailure(Status::kFail, "compare"), OpTestStatus::kGoldenFailed);
  EXPECT_EQ(ClassifyFailure(Status::kCrash, "compare"), OpTestStatus::kRunFailed);
  EXPECT_EQ(ClassifyFailure(Status::kUnsupported, "parse"), OpTestStatus::kNone);
}

TEST(OpTestTest, TensorHasAllFiveFields) {
  ExampleRun example;
  Case& c = example.AddCase("add_1", "stablehlo.add", {"bert"});
  c.inputs = {{{}, "bf16"}, {{kDynamic, 4}, "complex<f32>"}};
  const Json test = OpTestOf(example)[0];
  const Json scalar = {{"shape", Json::array()},
                       {"data_type", "bf16"},
                       {"buffer_type", "System"},
                       {"layout", "RowMajor"},
                       {"grid_shape", {1, 1}}};
  EXPECT_EQ(test["inputs"][0], scalar);
  EXPECT_EQ(test["inputs"][1]["shape"], (Json{-1, 4}));
  EXPECT_EQ(test["inputs"][1]["data_type"], "complex<f32>");
  EXPECT_EQ(test["outputs"].size(), 1u);
}

TEST(OpTestTest, TensorsHaveTheCompilersMemoriesIfItReportsAllOfThem) {
  ExampleRun example;
  Case& c = example.AddCase("add_1", "stablehlo.add", {"bert"});
  c.inputs = {{{64, 64}, "bf16"}, {{64, 64}, "bf16"}};
  CaseRecord& record = example.AddRecord("add_1", Status::kPass);
  record.placements = {{{"Dram", "Interleaved", {1, 1}}, {"L1", "BlockSharded", {8, 8}}},
                       {{"Dram", "Interleaved", {1, 1}}, {"Dram", "Interleaved", {1, 1}}}};
  const Json test = OpTestOf(example)[0];
  EXPECT_EQ(test["inputs"][1]["buffer_type"], "L1");
  EXPECT_EQ(test["inputs"][1]["layout"], "BlockSharded");
  EXPECT_EQ(test["inputs"][1]["grid_shape"], (Json{8, 8}));
  EXPECT_EQ(test["outputs"].size(), 1u);
  EXPECT_EQ(test["outputs"][0]["buffer_type"], "System");
}

TEST(OpTestTest, TimesCarryTheirZoneAndAgree) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass).start = "2026-11-21T11:15:01.5+01:00";
  const Json test = OpTestOf(example)[0];
  EXPECT_EQ(test["test_start_ts"], "2026-11-21T10:15:01.500000+00:00");
  EXPECT_EQ(test["test_end_ts"], "2026-11-21T10:15:02.750000+00:00");
  EXPECT_EQ(test["test_duration"], "PT1.25S");
}

TEST(OpTestTest, RowThatWasNotRunHasNoEnd) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  const Json test = OpTestOf(example)[0];
  EXPECT_TRUE(IsPython310Timestamp(test["test_start_ts"].get<std::string>()));
  EXPECT_TRUE(test["test_end_ts"].is_null());
  EXPECT_TRUE(test["test_duration"].is_null());
}

TEST(OpTestTest, NoTwoTestsShareAStartOrAName) {
  const Json tests = OpTestOf(EveryStatus());
  std::set<std::string> starts;
  std::set<std::string> names;
  for (const Json& test : tests) {
    starts.insert(test["test_start_ts"]);
    names.insert(test["full_test_name"]);
  }
  EXPECT_EQ(starts.size(), tests.size());
  EXPECT_EQ(names.size(), tests.size());
}

TEST(OpTestTest, NameIsTheSameInEveryRun) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  const Json before = OpTestOf(example, 1)[0];
  example.run.header.run_id = "another";
  example.run.header.start = "2027-01-01T00:00:00Z";
  const Json after = OpTestOf(example, 2)[0];
  EXPECT_EQ(before["test_case_name"], after["test_case_name"]);
  EXPECT_EQ(before["full_test_name"], after["full_test_name"]);
}

TEST(OpTestTest, ModelThatCouldNotBeSplitIsCounted) {
  ExampleRun example;
  example.manifest.models[1].error = "models/nn.mlirbc: no @main\nmore";
  const Json test = OpTestOf(example)[0];
  EXPECT_EQ(test["model_name"], "nn");
  EXPECT_EQ(test["filepath"], "models/nn.mlirbc");
  EXPECT_EQ(test["message"], "split: models/nn.mlirbc: no @main");
  EXPECT_EQ(test["op_name"], "builtin.module");
  EXPECT_EQ(test["frontend"], "torch-xla");
}

TEST(OpTestTest, FrameworkOpIsTheOneOfMostOps) {
  ExampleRun example;
  Case& c = example.AddCase("add_1", "stablehlo.add", {"bert", "bert", "nn"});
  c.origins[0].framework_op = "aten::add";
  c.origins[1].framework_op = "aten::addmm";
  c.origins[1].count = 3;
  c.origins[2].framework_op = "";
  const Json tests = OpTestOf(example);
  EXPECT_EQ(tests[0]["framework_op_name"], "aten::addmm");
  EXPECT_EQ(tests[1]["framework_op_name"], "stablehlo.add");
}

TEST(OpTestTest, UnknownFrontendAndRevisionAreCalledUnknown) {
  ExampleRun example;
  example.manifest.models[0].frontend.clear();
  example.run.header.git_sha.clear();
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  const Json test = OpTestOf(example)[0];
  EXPECT_EQ(test["frontend"], "unknown");
  EXPECT_TRUE(test["git_sha"].is_null());
}

TEST(OpTestTest, CardIsTheDeviceElseTheProcessor) {
  RunHeader header{.host = {{"cpu", "EPYC"}, {"device", "n150"}}, .target = "tt"};
  EXPECT_EQ(CardType(header), "n150");
  header.host.erase("device");
  EXPECT_EQ(CardType(header), "EPYC");
  header.properties = {{"device_kind", "Wormhole_b0"}, {"platform", "tt"}};
  EXPECT_EQ(CardType(header), "Wormhole_b0") << "the chip, not the processor of the machine that compiles for it";
  header.properties = {{"device_kind", "cpu"}, {"platform", "cpu"}};
  EXPECT_EQ(CardType(header), "EPYC");
  header.host.clear();
  EXPECT_EQ(CardType(header), "tt");
  EXPECT_EQ(CardType({}), "unknown");
}

TEST(OpTestTest, ConfigHoldsWhatTheSchemaHasNoFieldFor) {
  ExampleRun example;
  Case& c = example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  c.attributes = {{"dimensions", "array<i64: 2>"}};
  CaseRecord& record = example.AddRecord("add_1", Status::kFail, "compare", "wrong");
  record.comparisons = {{.pcc = 0.5, .accepted = false, .worst = {{{0}, "1", "2", 3}}},
                        {.worst = {{{0}, "1", "1", 0}}}};
  record.timing = {3, 1, 2, 4};
  record.sets = {{.policy = "edge", .status = Status::kSkipped, .judged_nothing = true}};
  const Json test = OpTestOf(example)[0];
  EXPECT_EQ(test["op_params"]["dimensions"], "array<i64: 2>");
  EXPECT_EQ(test["backend"], "host");
  const Json& config = test["config"];
  EXPECT_EQ(config["stage"], "compare");
  EXPECT_EQ(config["status"], "fail");
  EXPECT_EQ(config["repro"], "opbyop repro add_1");
  EXPECT_EQ(config["stages"]["compare"]["diagnostic"], "wrong");
  EXPECT_EQ(config["metrics"][0]["pcc"], 0.5);
  EXPECT_EQ(config["metrics"][0]["worst"].size(), 1u);
  EXPECT_FALSE(config["metrics"][1].contains("worst")) << "an accepted output needs no elements";
  EXPECT_EQ(config["timing"]["n"], 3);
  EXPECT_EQ(config["unjudged"], "nothing was judged under edge");
  ASSERT_EQ(config["origins"].size(), 1u) << "only those of the row's model";
  EXPECT_EQ(config["origins"][0]["module_path"], (Json{"NN", "layer1"}));
}

TEST(OpTestTest, HostileTextStaysValidJson) {
  const Json tests = OpTestOf(EveryStatus("\xff\x01\"'</script>\n\\"));
  EXPECT_EQ(tests.size(), 27u);
  EXPECT_THAT(Find(tests, "bert__b_fail")["message"].get<std::string>(), HasSubstr("lower: why\xEF\xBF\xBD"));
}

TEST(OpTestTest, RunWithoutRowsIsAnEmptyArray) { EXPECT_EQ(OpTestOf(ExampleRun()), Json::array()); }

}  // namespace
}  // namespace opbyop::reports
