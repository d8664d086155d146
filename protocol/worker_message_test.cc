// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/worker_message.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::protocol {
namespace {

using testing::HasSubstr;

Done ParseDone(const std::string& members) {
  Expected<WorkerMessage> message = ParseWorkerMessage(R"({"id":1,"event":"done","status":"pass")" + members + "}");
  EXPECT_TRUE(message) << message.error().message;
  return message ? std::get<Done>(message->body) : Done();
}

std::string ErrorOf(const std::string& frame) {
  const Expected<WorkerMessage> message = ParseWorkerMessage(frame);
  return message ? "no error" : message.error().message;
}

std::string ErrorOfDone(const std::string& members) {
  return ErrorOf(R"({"id":1,"event":"done","status":"pass",)" + members + "}");
}

std::string ComparisonJson(const std::string& more = "") {
  return R"({"output":0,"dtype":"f32","elements":4,"max_abs":0,"max_rel":0,"max_ulp":0,"pcc":"nan","cosine":1,)"
         R"("rmse":0,"bound_ratio":"inf","accepted":false)" +
         more + "}";
}

TEST(WorkerMessageTest, ReadsHello) {
  const auto message = ParseWorkerMessage(
      R"({"event":"hello","protocol":"opbyop-worker/1","role":"target","name":"host","version":"1.2","cores":2})");
  ASSERT_TRUE(message);
  const auto& greeting = std::get<Greeting>(message->body);
  EXPECT_EQ(greeting.protocol, "opbyop-worker/1");
  EXPECT_EQ(greeting.hello.version, "1.2");
  EXPECT_EQ(greeting.hello.cores, 2);
  EXPECT_EQ(greeting.hello.compile_only, "");
}

TEST(WorkerMessageTest, ReadsWhyAWorkerCompilesOnly) {
  const auto message = ParseWorkerMessage(
      R"({"event":"hello","protocol":"opbyop-worker/1","role":"target","name":"a","compile_only":"no device"})");
  ASSERT_TRUE(message);
  EXPECT_EQ(std::get<Greeting>(message->body).hello.compile_only, "no device");
}

TEST(WorkerMessageTest, ReadsPropertiesAsTextThatIsSafeToPrint) {
  const auto message = ParseWorkerMessage(
      R"({"event":"hello","protocol":"opbyop-worker/1","role":"target","name":"a","properties":{"kind":"a\u001b[2Jb"}})");
  ASSERT_TRUE(message);
  EXPECT_EQ(std::get<Greeting>(message->body).hello.properties.at("kind").find('\x1b'), std::string::npos);
}

TEST(WorkerMessageTest, RefusesMorePropertiesThanAreRead) {
  std::string properties;
  for (size_t i = 0; i <= kMaxProperties; ++i) {
    properties += fmt::format("{}\"p{}\":\"x\"", i == 0 ? "" : ",", i);
  }
  const auto message = ParseWorkerMessage(
      R"({"event":"hello","protocol":"opbyop-worker/1","role":"target","name":"a","properties":{)" + properties + "}}");
  ASSERT_FALSE(message);
  EXPECT_THAT(message.error().message, HasSubstr("properties is 65, not an object of at most 64 texts"));
}

TEST(WorkerMessageTest, ReadsStages) {
  const auto begin = ParseWorkerMessage(R"({"id":7,"event":"stage","stage":"parse","state":"begin","ns":81234})");
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->id, 7);
  EXPECT_EQ(std::get<StageBegin>(begin->body).ns, 81234);
  const auto end = ParseWorkerMessage(
      R"({"id":7,"event":"stage","stage":"parse","state":"end","status":"fail","ms":0.4,"diagnostic":"no"})");
  ASSERT_TRUE(end);
  EXPECT_EQ(std::get<StageEnd>(end->body).status, Status::kFail);
  EXPECT_EQ(std::get<StageEnd>(end->body).diagnostic, "no");
}

TEST(WorkerMessageTest, ReadsTheFieldsOfDone) {
  const Done done = ParseDone(
      R"(,"peak_rss_kb":5,"artifact_bytes":64.0,"kept":true,"saved":true,"loaded":true,"longest_ns":9,"spans":"a 0 1 2\n",)"
      R"("cost":{"flops":1e6},"memory":{"code":64},)"
      R"("timing":{"n":3,"min_us":1,"median_us":2,"p95_us":3,"clock":"device","first_call":true},"why_host_clock":"none","comparisons":[)" +
      ComparisonJson() + "]");
  EXPECT_EQ(done.peak_rss_kb, 5);
  EXPECT_EQ(done.fields.artifact_bytes, 64);
  EXPECT_TRUE(done.fields.kept);
  EXPECT_TRUE(done.fields.saved);
  EXPECT_TRUE(done.fields.loaded);
  EXPECT_EQ(done.fields.cost.at("flops"), 1e6);
  EXPECT_EQ(done.fields.memory.at("code"), 64);
  EXPECT_EQ(done.fields.longest_ns, 9);
  EXPECT_EQ(done.fields.spans, "a 0 1 2\n");
  EXPECT_EQ(done.fields.timing.p95_us, 3);
  EXPECT_TRUE(done.fields.timing.device_clock);
  EXPECT_TRUE(done.fields.timing.first_call);
  EXPECT_EQ(done.fields.why_host_clock, "none");
  ASSERT_EQ(done.fields.comparisons.size(), 1u);
  EXPECT_FALSE(done.fields.comparisons[0].accepted);
}

TEST(WorkerMessageTest, AbsentAndNullMembersHaveDefaults) {
  const Done done = ParseDone(R"(,"diagnostic":null,"timing":null)");
  EXPECT_EQ(done.fields.timing.n, 0);
  EXPECT_EQ(done.fields.artifact_bytes, std::nullopt);
}

TEST(WorkerMessageTest, UnknownMembersAreIgnored) { ParseDone(R"(,"colour":{"a":[1,2]})"); }

TEST(WorkerMessageTest, NestingIsBounded) {
  EXPECT_THAT(ErrorOfDone("\"x\":" + std::string(200'000, '[')), HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(ErrorOf(std::string(200'000, '{')), HasSubstr("nested more than 32 deep"));
  const std::string brackets(200'000, '[');
  EXPECT_EQ(ParseDone(R"(,"diagnostic":"\")" + brackets.substr(0, 50) + "\"").diagnostic,
            "\"" + brackets.substr(0, 50));
}

TEST(WorkerMessageTest, TheNumberOfValuesIsBounded) {
  std::string list = "0";
  for (size_t i = 0; i < kMaxMessageValues; ++i) list += ",0";
  EXPECT_THAT(ErrorOfDone(fmt::format(R"("x":[{}])", list)), HasSubstr("more than 1048576 values"));
}

TEST(WorkerMessageTest, ATruncatedEscapeEndsWithTheText) {
  EXPECT_THAT(ErrorOf("{\"a\\"), HasSubstr("no JSON object"));
}

TEST(WorkerMessageTest, TextIsCutAndMarked) {
  const Done done = ParseDone(fmt::format(R"(,"diagnostic":"{}")", std::string(1 << 20, 'x')));
  EXPECT_LT(done.diagnostic.size(), kMaxDiagnosticBytes + 50);
  EXPECT_THAT(done.diagnostic, testing::EndsWith("[cut: 1048576 bytes]"));
}

TEST(WorkerMessageTest, TextHasNoControlCharacters) {
  EXPECT_EQ(ParseDone(R"(,"diagnostic":"a\u0000\u001b[31mb\nc\u009bd")").diagnostic, "a\uFFFDb c\uFFFDd");
}

TEST(WorkerMessageTest, InvalidUtf8IsRefusedAsJson) {
  const std::string error = ErrorOf("{\"event\":\"\xff\xfe\"}");
  EXPECT_THAT(error, HasSubstr("no JSON object"));
  EXPECT_THAT(error, HasSubstr("\uFFFD")) << "and is quoted as text";
  EXPECT_THAT(ErrorOf(R"({"event":"\ud800"})"), HasSubstr("no JSON object"));
}

TEST(WorkerMessageTest, AnUnknownEventIsQuotedInShort) {
  EXPECT_THAT(ErrorOf(R"({"event":"dance"})"), HasSubstr("no event of the protocol"));
  EXPECT_THAT(ErrorOf(R"({"event":"stage","state":"rest"})"), HasSubstr("no event of the protocol"));
  EXPECT_LT(ErrorOf(fmt::format(R"({{"event":"{}"}})", std::string(1 << 20, 'x'))).size(), 500u);
}

TEST(WorkerMessageTest, OnlyStatusesOfAStageAreAccepted) {
  for (const char* status : {"flaky", "missing", "expected_fail", "unexpected_pass", "great"}) {
    EXPECT_THAT(ErrorOf(fmt::format(R"({{"id":1,"event":"done","status":"{}"}})", status)),
                HasSubstr(fmt::format("status is \"{}\", not a status that a worker may report", status)));
  }
  EXPECT_THAT(ErrorOf(R"({"id":1,"event":"done"})"), HasSubstr("status is null"));
}

struct BadField {
  std::string name;
  std::string members;
  std::string says;
};

class BadFieldTest : public testing::TestWithParam<BadField> {};

TEST_P(BadFieldTest, IsNamedWithItsValue) {
  EXPECT_THAT(ErrorOfDone(GetParam().members), HasSubstr("whose " + GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFieldTest,
    testing::Values(
        BadField{"HugeBytes", R"("artifact_bytes":1e300)", "artifact_bytes is 1e+300"},
        BadField{"NegativeBytes", R"("artifact_bytes":-1)", "artifact_bytes is -1"},
        BadField{"UnsignedBytes", R"("artifact_bytes":18446744073709551615)", "artifact_bytes is 1844"},
        BadField{"FractionalBytes", R"("artifact_bytes":0.5)", "artifact_bytes is 0.5"},
        BadField{"BytesInWords", R"("artifact_bytes":"many")", "artifact_bytes is \"many\""},
        BadField{"Diagnostic", R"("diagnostic":7)", "diagnostic is 7, not text"},
        BadField{"Kept", R"("kept":"yes")", "kept is \"yes\""}, BadField{"Saved", R"("saved":1)", "saved is 1"},
        BadField{"CostInWords", R"("cost":{"flops":"many"})", "cost is \"many\""},
        BadField{"MemoryAsAList", R"("memory":[1])", "memory is [1]"},
        BadField{"NoTiming", R"("timing":7)", "timing is 7"},
        BadField{"NegativeTiming", R"("timing":{"n":1,"min_us":-1})", "min_us is -1"},
        BadField{"HugeTiming", R"("timing":{"n":1,"median_us":1e308})", "median_us is 1e+308"},
        BadField{"TimingByAnotherClock", R"("timing":{"n":1,"clock":"sundial"})", "clock is \"sundial\""},
        BadField{"TimingInWords", R"("timing":{"n":1,"p95_us":"nan"})", "p95_us is \"nan\""},
        BadField{"SameAsANumber", R"("same_as":7)", "same_as is 7, not text"},
        BadField{"NumberForADigest", R"("input_digests":["a",7])", "input_digests is [\"a\",7]"},
        BadField{"BinarySpans", R"("spans":"a\u0001")", "spans is"},
        BadField{"LongSpans", R"("spans":")" + std::string(kMaxSpansBytes + 1, 'x') + "\"", "spans is"},
        BadField{"NoList", R"("comparisons":{"a":1})", "comparisons is {\"a\":1}"},
        BadField{"NoObject", R"("comparisons":[1])", "comparisons is 1"},
        BadField{"LackingMembers", R"("comparisons":[{}])", "comparisons is {}, not well-formed"},
        BadField{"HugeElements", "\"comparisons\":[" + ComparisonJson(",\"mismatches\":1e300") + "]",
                 "mismatches is 1e+300"},
        BadField{"WordsForFlags", "\"comparisons\":[" + ComparisonJson(",\"constant\":\"no\"") + "]", "comparisons is"},
        BadField{"FloatIndex",
                 "\"comparisons\":[" +
                     ComparisonJson(R"(,"worst":[{"index":[1e300],"got":"","expected":"","bound_ratio":1}])") + "]",
                 "worst is"}),
    [](const testing::TestParamInfo<BadField>& info) { return info.param.name; });

TEST(WorkerMessageTest, IdsAreIntegers) {
  for (const char* id : {"-1", "1e300", "0.5", "\"7\"", "99999999999999999999"}) {
    EXPECT_THAT(ErrorOf(fmt::format(R"({{"id":{},"event":"done","status":"pass"}})", id)), HasSubstr("whose id is "));
  }
}

TEST(WorkerMessageTest, WorstElementsAreFew) {
  const std::string element = R"({"index":[0],"got":"1","expected":"2","bound_ratio":2})";
  std::string list = element;
  for (size_t i = 0; i < kMaxWorstElements; ++i) list += "," + element;
  EXPECT_THAT(ErrorOfDone("\"comparisons\":[" + ComparisonJson(",\"worst\":[" + list + "]") + "]"),
              HasSubstr("worst is 17, not a list of at most 16"));
}

TEST(WorkerMessageTest, ASmallerProgramHasItsTypes) {
  const auto parse = [](const std::string& inputs) {
    return ParseWorkerMessage(R"({"id":1,"event":"done","status":"skipped","smaller":{"program":"module {}",)"
                              R"("what":"3 of 32 trips","inputs":)" +
                              inputs + "}}");
  };
  const Expected<WorkerMessage> message = parse(R"([{"shape":[3,8],"dtype":"bf16"}])");
  ASSERT_TRUE(message) << message.error().message;
  const SmallerProgram& smaller = std::get<Done>(message->body).fields.smaller;
  EXPECT_EQ(smaller.program, "module {}");
  EXPECT_EQ(smaller.what, "3 of 32 trips");
  EXPECT_EQ(smaller.inputs, (std::vector<TensorType>{{{3, 8}, "bf16"}}));
  for (const char* wrong : {R"([{"shape":[-3],"dtype":"bf16"}])", R"([{"shape":[3]}])", "[3]", "{}"}) {
    EXPECT_FALSE(parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace opbyop::protocol
