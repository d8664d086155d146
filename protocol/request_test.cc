// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace opbyop::protocol {
namespace {

using testing::HasSubstr;

// Each verb, with no field that has its default.
const std::vector<Verb> kFullVerbs = {
    UnknownVerb{"dance"},
    InputsVerb{.earlier = {{"domain", ""}, {"edge", "/run/edge.yaml"}}},
    CompileVerb{.keep = true, .verbatim = true, .until = "lower", .artifact = "/scratch/add/artifact.bin"},
    CompileBatchVerb{.members = {{"a", "/run/a.mlir"}, {"b", "/run/b.mlir"}}},
    ExecuteVerb{.repeat = {2, 50, 12.5, 3, 0.02},
                .spans = true,
                .host_clock = true,
                .profile = true,
                .artifact = "/scratch/add/artifact.bin",
                .next = {"mul_2_f32_00000000", "/scratch/mul", {0, 2}}},
    ReleaseVerb{},
    CompareVerb{.input_digests = {"aa", "bb"}, .own_inputs = true},
};

Request FullRequest(Verb verb) {
  return {.id = 7,
          .verb = std::move(verb),
          .case_id = "add_2_f32_00000000",
          .file = "/run/cases/add.mlir",
          .dir = "/scratch/add",
          .op = "stablehlo.add",
          .inputs = {{{2, 3}, "f32"}, {{}, "i1"}},
          .outputs = {{{2, kDynamic}, "bf16"}},
          .grid = {.replicas = 1, .partitions = 2},
          .shardings = {{"{devices=[2,1]<=[2]}", "{replicated}"}, {"{replicated}"}},
          .partitioner = "shardy",
          .input_ranges = {std::pair<int64_t, int64_t>(0, 30521), std::nullopt},
          .after = "parse",
          .save_intermediates = true,
          .policy = {"mine", "/run/mine.yaml"},
          .seed = uint64_t{1} << 52,
          .target = "chip",
          .arithmetic = {.precision = {{"dot_general", "tf32"}},
                         .accumulation = {{.ops = {"dot"}, .operands = "f8", .bits = 14, .block = 32, .promoted = 128}},
                         .stores_toward_zero = true,
                         .flushes = {.operands = true},
                         .excess_precision = true}};
}

TEST(RequestTest, EveryFieldOfEveryVerbCrossesTheWire) {
  EXPECT_EQ(kFullVerbs.size(), std::variant_size_v<Verb>);
  for (const Verb& verb : kFullVerbs) {
    const Request request = FullRequest(verb);
    const Expected<Request> back = ParseRequest(ToJson(request));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->verb.index(), verb.index());
    EXPECT_TRUE(*back == request) << ToJson(*back);
  }
}

TEST(RequestTest, AFieldWithItsDefaultIsLeftOut) {
  const Request request{.id = 1, .verb = ExecuteVerb{}, .case_id = "c", .dir = "/d"};
  EXPECT_EQ(nlohmann::json::parse(ToJson(request)),
            (nlohmann::json{
                {"id", 1}, {"verb", "execute"}, {"case", "c"}, {"dir", "/d"}, {"policy", "domain"}, {"seed", 0}}));
  const Expected<Request> back = ParseRequest(R"({"id":1,"verb":"execute","case":"c","dir":"/d"})");
  ASSERT_TRUE(back);
  EXPECT_TRUE(*back == request);
}

TEST(RequestTest, AVerbOfANewerParentKeepsItsName) {
  const Expected<Request> request = ParseRequest(R"({"id":1,"verb":"dance","keep":"long"})");
  ASSERT_TRUE(request);
  EXPECT_EQ(NameOf(request->verb), "dance");
  EXPECT_TRUE(std::holds_alternative<UnknownVerb>(request->verb));
}

TEST(RequestTest, AFieldOfAnotherVerbIsIgnored) {
  const Expected<Request> request = ParseRequest(R"({"id":1,"verb":"compile","spans":"many","keep":true})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->verb == Verb(CompileVerb{.keep = true}));
}

TEST(RequestTest, AFieldOfANewerParentIsIgnored) {
  EXPECT_TRUE(ParseRequest(R"({"id":1,"verb":"compile","colour":{"red":[1,2]}})"));
}

// Replaces each field of the full requests in turn by an impossible value.
TEST(RequestTest, AFieldOfAnotherTypeIsAnErrorThatNamesIt) {
  for (const Verb& verb : kFullVerbs) {
    const nlohmann::json full = nlohmann::json::parse(ToJson(FullRequest(verb)));
    for (const auto& [key, value] : full.items()) {
      nlohmann::json wrong = full;
      wrong[key] = value.is_number() ? nlohmann::json("seven") : nlohmann::json(7);
      const Expected<Request> request = ParseRequest(wrong.dump());
      ASSERT_FALSE(request) << key;
      EXPECT_EQ(request.error().code, ExitCode::kBadInput);
      EXPECT_THAT(request.error().message, HasSubstr(key + " is "));
    }
  }
}

TEST(RequestTest, AnItemOfAnotherFormIsAnErrorOfItsList) {
  for (const char* wrong :
       {R"("verb":"compile","inputs":[7])", R"("verb":"compile","inputs":[{"shape":["2"],"dtype":"f32"}])",
        R"("verb":"compile","outputs":[{"shape":[-2],"dtype":"f32"}])", R"("verb":"inputs","earlier":[{"policy":3}])",
        R"("verb":"compile_batch","members":["a"])", R"("verb":"inputs","input_ranges":[[3,2]])",
        R"("verb":"inputs","input_ranges":[[1.5,2]])", R"("verb":"compare","input_digests":["aa",null])",
        R"("verb":"compare","arithmetic":{"precision":{"dot_general":1}})",
        R"("verb":"execute","repeat":{"min":-1})"}) {
    EXPECT_FALSE(ParseRequest(std::string(R"({"id":1,)") + wrong + "}")) << wrong;
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
