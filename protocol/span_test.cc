// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/span.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

// The lines that the writer in Python is tested with too (protocol/schema_test.py).
std::vector<Json> Vectors() {
  const Expected<std::string> text = ReadFile(TestSource("protocol/Inputs/spans.jsonl"));
  EXPECT_TRUE(text) << text.error().message;
  std::vector<Json> vectors;
  std::istringstream lines(text.value_or(""));
  for (std::string line; std::getline(lines, line);) vectors.push_back(Json::parse(line));
  return vectors;
}

Span SpanOf(const Json& json) {
  return {.kind = json["kind"],
          .index = json["index"],
          .start_ns = json["start_ns"],
          .dur_ns = json["dur_ns"],
          .bytes = json.value("bytes", int64_t{0}),
          .device_clock = json.value("clock", "host") == "device",
          .slack_ns = json.value("slack_ns", int64_t{0}),
          .process = json.value("process", int64_t{-1})};
}

TEST(SpanTest, EachLineIsReadAsTheVectorsSay) {
  const std::vector<Json> vectors = Vectors();
  ASSERT_FALSE(vectors.empty());
  for (const Json& vector : vectors) {
    const std::string line = vector["line"];
    const std::vector<Span> spans = ParseSpans(line + "\n");
    ASSERT_EQ(spans.size(), vector.contains("span") ? 1U : 0U) << line;
    if (!spans.empty()) EXPECT_TRUE(spans[0] == SpanOf(vector["span"])) << line;
  }
}

TEST(SpanTest, EachSpanIsWrittenAsTheVectorsSay) {
  std::string all;
  std::vector<Span> spans;
  for (const Json& vector : Vectors()) {
    if (vector["is"] != "written") continue;
    spans.push_back(SpanOf(vector["span"]));
    const std::string line = vector["line"].get<std::string>() + "\n";
    EXPECT_EQ(SpanLines({spans.back()}), line);
    all += line;
  }
  EXPECT_EQ(SpanLines(spans), all);
  EXPECT_TRUE(ParseSpans(all) == spans);
}

TEST(SpanTest, ALineThatIsNoSpanDoesNotHideTheOthers) {
  EXPECT_EQ(ParseSpans("load 0 1 2\nnonsense\n\nexecute 0 4 5").size(), 2U);
}

}  // namespace
}  // namespace opbyop::protocol
