// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace opbyop::protocol {
namespace {

using testing::HasSubstr;

// A request in which no field has its default.
Request FullRequest() {
  return {.id = 7,
          .verb = "compare",
          .case_id = "add_2_f32_00000000",
          .file = "/run/cases/add.mlir",
          .dir = "/scratch/add",
          .op = "stablehlo.add",
          .inputs = {{{2, 3}, "f32"}, {{}, "i1"}},
          .outputs = {{{2, kDynamic}, "bf16"}},
          .save_intermediates = true,
          .keep = true,
          .verbatim = true,
          .after = "parse",
          .until = "lower",
          .members = {{"a", "/run/a.mlir"}, {"b", "/run/b.mlir"}},
          .artifact = "/scratch/add/artifact.bin",
          .repeat = {2, 50, 12.5, 3, 0.02},
          .spans = true,
          .host_clock = true,
          .next = {"mul_2_f32_00000000", "/scratch/mul", {0, 2}},
          .policy = {"mine", "/run/mine.yaml"},
          .seed = uint64_t{1} << 52,
          .earlier = {{"domain", ""}, {"edge", "/run/edge.yaml"}},
          .input_ranges = {std::pair<int64_t, int64_t>(0, 30521), std::nullopt},
          .input_digests = {"aa", "bb"},
          .own_inputs = true,
          .target = "chip",
          .arithmetic = {.precision = {{"dot_general", "tf32"}},
                         .accumulation = {{.ops = {"dot"}, .operands = "f8", .bits = 14, .block = 32, .promoted = 128}},
                         .stores_toward_zero = true,
                         .flushes = {.operands = true}}};
}

TEST(RequestTest, EveryFieldCrossesTheWire) {
  const Request request = FullRequest();
  const Expected<Request> back = ParseRequest(ToJson(request));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == request) << ToJson(*back);
}

TEST(RequestTest, AFieldWithItsDefaultIsLeftOut) {
  const Request request{.id = 1, .verb = "execute", .case_id = "c", .dir = "/d"};
  EXPECT_EQ(nlohmann::json::parse(ToJson(request)),
            (nlohmann::json{
                {"id", 1}, {"verb", "execute"}, {"case", "c"}, {"dir", "/d"}, {"policy", "domain"}, {"seed", 0}}));
  const Expected<Request> back = ParseRequest(R"({"id":1,"verb":"execute","case":"c","dir":"/d"})");
  ASSERT_TRUE(back);
  EXPECT_TRUE(*back == request);
}

TEST(RequestTest, AFieldOfANewerParentIsIgnored) {
  EXPECT_TRUE(ParseRequest(R"({"id":1,"verb":"compile","colour":{"red":[1,2]}})"));
}

// Replaces each field of the full request in turn by an impossible value.
TEST(RequestTest, AFieldOfAnotherTypeIsAnErrorThatNamesIt) {
  const nlohmann::json full = nlohmann::json::parse(ToJson(FullRequest()));
  for (const auto& [key, value] : full.items()) {
    nlohmann::json wrong = full;
    wrong[key] = value.is_number() ? nlohmann::json("seven") : nlohmann::json(7);
    const Expected<Request> request = ParseRequest(wrong.dump());
    ASSERT_FALSE(request) << key;
    EXPECT_EQ(request.error().code, ExitCode::kBadInput);
    EXPECT_THAT(request.error().message, HasSubstr(key + " is "));
  }
}

TEST(RequestTest, AnItemOfAnotherFormIsAnErrorOfItsList) {
  for (const char* wrong :
       {R"("inputs":[7])", R"("inputs":[{"shape":["2"],"dtype":"f32"}])", R"("outputs":[{"shape":[-2],"dtype":"f32"}])",
        R"("earlier":[{"policy":3}])", R"("members":["a"])", R"("input_ranges":[[3,2]])", R"("input_ranges":[[1.5,2]])",
        R"("input_digests":["aa",null])", R"("arithmetic":{"precision":{"dot_general":1}})",
        R"("repeat":{"min":-1})"}) {
    EXPECT_FALSE(ParseRequest(std::string(R"({"id":1,"verb":"compile",)") + wrong + "}")) << wrong;
  }
}

TEST(RequestTest, WithoutIdOrVerbItIsNoRequest) {
  EXPECT_FALSE(ParseRequest(R"({"verb":"compile"})"));
  EXPECT_FALSE(ParseRequest(R"({"id":1})"));
  EXPECT_FALSE(ParseRequest("[1]"));
  EXPECT_FALSE(ParseRequest("garbage"));
}

TEST(RequestTest, TooDeepNestingIsRefused) {
  const std::string nest = std::string(300'000, '[') + std::string(300'000, ']');
  EXPECT_FALSE(ParseRequest(R"({"id":1,"verb":"compile","x":)" + nest + "}"));
}

}  // namespace
}  // namespace opbyop::protocol
