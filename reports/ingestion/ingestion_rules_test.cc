// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/ingestion_rules.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

// The rules must refuse what the readers refuse; otherwise a green test of a report proves nothing.

constexpr char kMinimalXml[] =
    R"(<testsuites><testsuite name="pytest" timestamp="2026-08-21T10:00:00"><properties><property name="card" )"
    R"(value="n150"/><property name="git_sha" value="abc"/></properties><testcase classname="c" name="n" time="1">)"
    R"(<properties><property name="backend" value="ttnn"/>%1</properties>%2</testcase></testsuite></testsuites>)";

bool XmlIsAccepted(const std::string& property, const std::string& verdict) {
  std::string text = kMinimalXml;
  text.replace(text.find("%1"), 2, property);
  text.replace(text.find("%2"), 2, verdict);
  std::string why;
  return ReadBuilderXml(text, why).has_value();
}

TEST(IngestionRulesTest, JobIdIsTheIntegerAtTheEnd) {
  EXPECT_EQ(JobIdOf("report_1002.xml"), 1002);
  EXPECT_EQ(JobIdOf("op_by_op_report-1001.json"), 1001);
  EXPECT_EQ(JobIdOf("report.xml"), std::nullopt);
  EXPECT_EQ(JobIdOf("report_perf_7.xml"), std::nullopt);
  EXPECT_TRUE(BenchmarkCollectorTakes("op_by_op_report_1001.json"));
  EXPECT_FALSE(BenchmarkCollectorTakes("op_by_op_report-1001.json"));
}

TEST(IngestionRulesTest, TimestampsAreThoseOfPython310) {
  EXPECT_TRUE(IsPython310Timestamp("2026-08-21T10:00:02.500000+00:00"));
  EXPECT_FALSE(IsPython310Timestamp("2026-08-21T10:00:02.500000Z"));
  EXPECT_FALSE(IsPython310Timestamp("2026-08-21T10:00:02.5+00:00"));
}

TEST(IngestionRulesTest, TensorDescriptionNeedsFiveFieldsAndNoParenthesis) {
  const std::string good =
      "TensorDesc(shape=[2, 3], data_type='f32', buffer_type='DRAM', layout='interleaved', grid_shape=[1, 1])";
  EXPECT_EQ(ReadTensorDescs("[]")->size(), 0u);
  EXPECT_EQ(ReadTensorDescs("[" + good + ", " + good + "]")->size(), 2u);
  EXPECT_FALSE(ReadTensorDescs("[TensorDesc(shape=[2, 3], data_type='f32')]"));
  EXPECT_FALSE(
      ReadTensorDescs("[TensorDesc(shape=[2], data_type='a(b)', buffer_type='D', layout='i', grid_shape=[1])]"));
}

TEST(IngestionRulesTest, BooleanInsteadOfStringDropsTheFile) {
  std::string why;
  EXPECT_FALSE(ReadXlaJson(R"({"tests":[{"user_properties":[{"OpTest model for: a":{"success":true}}]}]})", why));
  EXPECT_EQ(why, "a: success is no string");
}

TEST(IngestionRulesTest, BuilderReaderDropsWhatItDocuments) {
  EXPECT_TRUE(XmlIsAccepted("", ""));
  EXPECT_TRUE(XmlIsAccepted("", "<failure message='x'/>"));
  EXPECT_FALSE(XmlIsAccepted("", "<failure message='x'/><failure message='y'/>"));
  EXPECT_FALSE(XmlIsAccepted("", "<skipped message='x'/>"));
  EXPECT_FALSE(XmlIsAccepted("<property name='failure_stage' value='crash'/>", ""));
  EXPECT_FALSE(XmlIsAccepted("<property name='input_shapes' value='[[2]]'/>", ""));
}

}  // namespace
}  // namespace opbyop::reports
