// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests both readers of the protocol with the example messages of its schema (protocol/schema_test.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "protocol/request.h"
#include "protocol/worker_message.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

struct Example {
  std::string is;
  std::string what;
  Json message;
};

std::vector<std::string> LinesOf(const std::string& file) {
  const Expected<std::string> text = ReadFile(TestSource("protocol/Inputs/" + file));
  EXPECT_TRUE(text) << text.error().message;
  std::vector<std::string> lines;
  std::istringstream stream(text.value_or(""));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Example> Examples() {
  std::vector<Example> examples;
  for (const std::string& line : LinesOf("messages.jsonl")) {
    Json json = Json::parse(line);
    examples.push_back({json["is"], json["what"], std::move(json["message"])});
  }
  return examples;
}

// Workers in the field were written for these bytes: requests of runs of every kind, then for each verb one with every
// field that it has and one with as few as possible.
TEST(SchemaTest, EachGoldenRequestIsWrittenByteForByteAsItWasRead) {
  const std::vector<std::string> lines = LinesOf("requests.jsonl");
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    const Expected<Request> request = ParseRequest(line);
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(ToJson(*request), line);
  }
}

TEST(SchemaTest, RequestsAreReadAsTheSchemaDefinesThem) {
  for (const Example& example : Examples()) {
    if (!example.is.ends_with("request")) continue;
    const Expected<Request> request = ParseRequest(example.message.dump());
    EXPECT_EQ(request.has_value(), example.is == "request") << example.what << (request ? "" : request.error().message);
  }
}

TEST(SchemaTest, TheGoldenRequestsHaveEveryFieldBetweenThem) {
  std::set<std::string> keys, all;
  for (const std::string& line : LinesOf("requests.jsonl")) {
    const Json message = Json::parse(line);
    for (const auto& [key, value] : message.items()) keys.insert(key);
  }
  const Json message = Examples().front().message;
  for (const auto& [key, value] : message.items()) all.insert(key);
  EXPECT_EQ(keys, all);
}

TEST(SchemaTest, RepliesAreReadAsTheSchemaDefinesThem) {
  for (const Example& example : Examples()) {
    if (!example.is.ends_with("reply")) continue;
    const Expected<WorkerMessage> reply = ParseWorkerMessage(example.message.dump());
    EXPECT_EQ(reply.has_value(), example.is == "reply") << example.what << (reply ? "" : reply.error().message);
  }
}

}  // namespace
}  // namespace opbyop::protocol
