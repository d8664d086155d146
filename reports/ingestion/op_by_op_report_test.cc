// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/op_by_op_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "reports/ingestion/ingestion_rules.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

constexpr char kHostileText[] = "\xff\x01\"')\\</script>\n) line";

std::string Written(const ExampleRun& example) {
  const View view = example.MakeView();
  return ReportText(OpByOpReport(), view);
}

std::vector<XlaRecord> Read(const ExampleRun& example) {
  std::string why;
  const auto records = ReadXlaJson(Written(example), why);
  EXPECT_TRUE(records) << why;
  return records.value_or(std::vector<XlaRecord>());
}

XlaRecord Find(const std::vector<XlaRecord>& records, std::string_view name) {
  for (const XlaRecord& record : records) {
    if (record.name == name) return record;
  }
  return {};
}

TEST(OpByOpReportTest, FileNameGivesTheJobIdAndIsNoBenchmark) {
  const std::string name = OpByOpReportName(1001);
  EXPECT_EQ(JobIdOf(name), 1001);
  EXPECT_FALSE(BenchmarkCollectorTakes(name));
  EXPECT_NE(name.find("op_by_op"), std::string::npos) << "the reader is chosen by these words";
}

TEST(OpByOpReportTest, ReaderTakesARowOfEveryStatus) { EXPECT_EQ(Read(EveryStatus()).size(), 27u); }

TEST(OpByOpReportTest, EveryValueIsAString) {
  const nlohmann::json json = nlohmann::json::parse(Written(EveryStatus()));
  for (const auto& property : json["tests"][0]["user_properties"]) {
    for (const auto& [key, value] : property.begin()->items()) EXPECT_TRUE(value.is_string()) << key;
  }
}

TEST(OpByOpReportTest, TruthIsSpeltAsPythonSpellsIt) {
  const auto records = Read(EveryStatus());
  EXPECT_EQ(Find(records, "bert__a_pass").fields["success"], "True");
  EXPECT_EQ(Find(records, "bert__a_pass").fields["skipped"], "False");
  EXPECT_EQ(Find(records, "bert__g_unsupported").fields["success"], "False");
  EXPECT_EQ(Find(records, "bert__g_unsupported").fields["skipped"], "True");
  for (const XlaRecord& record : records) {
    for (const char* key : {"success", "skipped"}) {
      const std::string& value = record.fields.at(key);
      EXPECT_TRUE(value == "True" || value == "False") << value;
    }
  }
}

TEST(OpByOpReportTest, OpNameIsNeverEmpty) {
  for (const XlaRecord& record : Read(EveryStatus())) EXPECT_NE(record.fields.at("op_name"), "") << record.name;
}

TEST(OpByOpReportTest, TimestampsAreReadByPython310) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  for (const char* start : {"2026-11-21T10:15:00Z", "2026-11-21T10:15:00.5Z", "2026-11-21T10:15:00.123456789Z", ""}) {
    example.run.cases.clear();
    example.AddRecord("add_1", Status::kPass).start = start;
    const auto record = Read(example).at(0);
    EXPECT_TRUE(IsPython310Timestamp(record.fields.at("test_start_ts"))) << start;
    EXPECT_TRUE(IsPython310Timestamp(record.fields.at("test_end_ts"))) << start;
  }
}

TEST(OpByOpReportTest, StartsAreUnique) {
  std::set<std::string> starts;
  const auto records = Read(EveryStatus());
  for (const XlaRecord& record : records) starts.insert(record.fields.at("test_start_ts"));
  EXPECT_EQ(starts.size(), records.size());
}

TEST(OpByOpReportTest, NoParenthesisEndsATensorEarly) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"}).inputs = {{{2}, "!quant.uniform<i8:f32, 0.5(3)>"},
                                                                {{}, "!d.t('x')"}};
  const auto tensors = ReadTensorDescs(Read(example).at(0).fields.at("inputs"));
  ASSERT_TRUE(tensors);
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ(tensors->at(0).at("data_type"), "'!quant.uniform<i8:f32, 0.5<3>>'");
  EXPECT_EQ(tensors->at(1).at("shape"), "[]");
}

TEST(OpByOpReportTest, TensorHasAllFiveFields) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  EXPECT_EQ(Read(example).at(0).fields.at("outputs"),
            "[TensorDesc(shape=[2, 3], data_type='f32', buffer_type='System', layout='RowMajor', grid_shape=[1, 1])]");
}

TEST(OpByOpReportTest, KeyIsStableAndUnique) {
  ExampleRun example = EveryStatus();
  std::set<std::string> names;
  for (const XlaRecord& record : Read(example)) names.insert(record.name);
  EXPECT_EQ(names.size(), 27u);
  example.run.header.run_id = "another";
  example.run.header.start = "2027-01-01T00:00:00Z";
  for (const XlaRecord& record : Read(example)) EXPECT_TRUE(names.count(record.name)) << record.name;
}

TEST(OpByOpReportTest, FailureCarriesStageAndDiagnostic) {
  EXPECT_EQ(Find(Read(EveryStatus()), "bert__b_fail").fields["error_message"], "lower: why");
  EXPECT_EQ(Find(Read(EveryStatus()), "cut__split").fields["error_message"], "split: cut off");
}

TEST(OpByOpReportTest, HostileTextCostsNoRecord) { EXPECT_EQ(Read(EveryStatus(kHostileText)).size(), 27u); }

TEST(OpByOpReportTest, OutcomeIsTheRuns) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  EXPECT_EQ(nlohmann::json::parse(Written(example))["exitcode"], 1);
  example.AddRecord("add_1", Status::kPass);
  const nlohmann::json json = nlohmann::json::parse(Written(example));
  EXPECT_EQ(json["exitcode"], 0);
  EXPECT_EQ(json["tests"][0]["outcome"], "passed");
}

}  // namespace
}  // namespace opbyop::reports
