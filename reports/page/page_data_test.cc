// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "reports/page/golden_page.h"
#include "reports/page/html.h"
#include "reports/page/record_fields.h"
#include "reports/view/example_run.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string DataOf(const View& view) {
  std::string text;
  PageData(view, {}, [&](std::string_view part) { text += part; });
  return text;
}

std::string PageOf(const View& view) {
  std::string text;
  HtmlPage(view, {}, [&](std::string_view part) { text += part; });
  return text;
}

Json Data(const ExampleRun& example) { return Json::parse(DataOf(example.MakeView())); }

// A run with one of everything that a page shows.
ExampleRun OneOfEverything() {
  ExampleRun example;
  example.manifest.models.push_back({.name = "cut", .source = "models/cut.mlirbc", .error = "cut off"});
  Case& tanh = example.AddCase("tanh_4_f32_00000001", "stablehlo.tanh", {"bert", "nn"});
  tanh.attributes = {{"accuracy", "#stablehlo.result_accuracy<mode = DEFAULT>"}};
  example.AddCase("fft_4_f32_00000002", "stablehlo.fft", {"nn"});
  example.AddCase("sort_4_f32_00000003", "stablehlo.sort", {"bert"});
  example.AddCase("abs_4_f32_00000004", "stablehlo.abs", {"bert"});
  example.AddCase("neg_4_f32_00000005", "stablehlo.negate", {});
  CaseRecord& red = example.AddRecord("tanh_4_f32_00000001", Status::kFail, "compare", "under edge: 1 of 6 elements");
  red.comparisons = {{.dtype = "f32", .elements = 6, .rule = "ulp<=5", .policy = "domain"},
                     {.dtype = "f32",
                      .elements = 6,
                      .mismatches = 1,
                      .unbounded = 2,
                      .max_abs = INFINITY,
                      .max_rel = 0.25,
                      .max_ulp = 3,
                      .pcc = NAN,
                      .cosine = 0.5,
                      .rmse = 0.125,
                      .nan_mismatches = 1,
                      .inf_mismatches = 2,
                      .bound_ratio = INFINITY,
                      .rule = "ulp<=5",
                      .relaxed = "because",
                      .constant = true,
                      .accepted = false,
                      .policy = "edge",
                      .worst = {{{0, 1}, "nan", "1", INFINITY}}}};
  example.manifest.suite = {.name = "stablehlo", .version = "1.0", .level = "full"};
  example.run.header.manifest_hash = "abc";
  example.run.header.properties = {{"stablehlo_current_version", "1.13.3"}};
  red.sets = {{"domain", 7, Status::kPass, "compare", "", 0},
              {"edge", (uint64_t{1} << 53) - 1, Status::kFail, "compare", "1 of 6 elements", 2}};
  red.timing = {3, 1, 2, 4};
  red.artifact_bytes = 1000;
  red.cost = {{"flops", 6}};
  red.memory = {{"code", 1000}, {"temporaries", 0}};
  red.peak_rss_kb = 2000;
  red.attempts = 2;
  red.seed = 18'446'744'073'709'551'615u;
  red.worker = 4;
  red.signal = 11;
  red.stderr_tail = {"one", "two"};
  red.batched = 50;
  red.cached_from = "20261120T101500Z-3f9a";
  red.differential = {"xla", Status::kPass, "compare", "", {{.bound_ratio = 0.5}}};
  example.AddRecord("fft_4_f32_00000002", Status::kUnsupported, "lower", "no fft here");
  example.AddRecord("sort_4_f32_00000003", Status::kFail, "execute", "wrong order");
  example.Expect({.ids = {"*__sort_*"},
                  .stage = "execute",
                  .status = Status::kFail,
                  .reason = "known",
                  .issue = "https://example.org/1",
                  .owner = "ana",
                  .since = "2026-11-01"});
  return example;
}

// The record of the first case.
Json RecordOf(const Json& data) {
  const std::string detail = PackedField(data, "case", data["cases"][0], "detail");
  return PackedField(data, "detail", Json::parse(detail), "record");
}

// Two programs; the page contains one of them.
PageFiles TwoPrograms() {
  PageFiles files;
  files.score_card = "scorecard";
  files.programs.href = "../run";
  files.before.runs = {{"run-0", "2026-11-19T02:00:00.000000+00:00", 5, 1, ""},
                       {"run-1", "2026-11-20T02:00:00.000000+00:00", 5, 2, "../run-1/index.html"}};
  files.before.red = {"bert__abs_4_f32_00000004", "bert__sort_4_f32_00000003", "nn__tanh_4_f32_00000001"};
  files.programs.of = {{0, {15, "module { tanh }"}}, {1, {9000, ""}}};
  return files;
}

// The page's own tests read this file (reports/web/src/data_test.ts).
TEST(PageDataTest, EqualsTheTestDataOfThePage) {
  std::string text;
  PageData(OneOfEverything().MakeView(), TwoPrograms(), [&](std::string_view part) { text += part; });
  const Json data = Json::parse(text);
  EXPECT_EQ(data, GoldenPage("page.json", data));
}

// The shape, in reports/web/src/, of the items that a list or an optional member has.
template <class T>
constexpr const char* kShape = nullptr;
template <>
constexpr const char* kShape<Comparison::Element> = "ELEMENT";
template <>
constexpr const char* kShape<Comparison> = "COMPARISON";
template <>
constexpr const char* kShape<StageRecord> = "STAGE";
template <>
constexpr const char* kShape<Timing> = "TIMING";
template <>
constexpr const char* kShape<InputSetRecord> = "SET";
template <>
constexpr const char* kShape<CaseRecord> = "RECORD";

// The kind, of reports/web/src/columns.ts, of a member's values.
template <class M, class Codec>
std::string KindOf() {
  if constexpr (std::same_as<M, std::string>) {
    return "word";
  } else if constexpr (std::same_as<M, bool>) {
    return "flag";
  } else if constexpr (std::same_as<M, double>) {
    return std::same_as<Codec, AnyNumber> ? "num" : "int";  // finite, if not declared as any number
  } else if constexpr (std::same_as<M, uint64_t> || std::same_as<M, std::vector<int64_t>>) {
    return "text";
  } else if constexpr (std::integral<M> || std::is_enum_v<M>) {
    return "int";
  } else if constexpr (std::same_as<M, std::vector<std::string>>) {
    return "words";
  } else if constexpr (std::same_as<M, std::map<std::string, double>>) {
    return "items(FIGURE)";
  } else if constexpr (HasFields<M>) {
    return fmt::format("maybe({})", kShape<M>);
  } else {
    return fmt::format("items({})", kShape<typename M::value_type>);
  }
}

template <class T>
std::string ShapeOf(std::string_view others = {}) {
  std::string text = fmt::format("export const {} = {{\n", kShape<T>);
  ForEachFieldOnPage<T>([&]<class M, class Codec>(const Field<T, M, Codec>& field) {
    text += fmt::format("  {}: {},\n", field.key, KindOf<M, Codec>());
  });
  return text + std::string(others) + "};\n";
}

std::string RecordShapes() {
  return "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n\n"
         "// Generated by page_data_test from manifests/results/result_fields.h.\n"
         "import { flag, int, items, maybe, num, text, word, words } from \"./columns\";\n\n"
         "export const FIGURE = {\n  name: word,\n  value: num,\n};\n" +
         ShapeOf<Comparison::Element>() + ShapeOf<Comparison>() + ShapeOf<StageRecord>() + ShapeOf<Timing>() +
         ShapeOf<InputSetRecord>() +
         ShapeOf<CaseRecord>("  differential: word,\n  second_comparisons: items(COMPARISON),\n");
}

TEST(PageDataTest, RecordsHaveTheGeneratedShapes) {
  const std::string path = TestSource("reports/web/src/record_shapes.ts");
  if (std::getenv("OPBYOP_UPDATE_GOLDEN") != nullptr) ASSERT_TRUE(WriteFile(path, RecordShapes()));
  EXPECT_EQ(ReadFile(path).value_or(""), RecordShapes());
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(PageDataTest, HoldsEveryRowWithItsStatus) {
  const Json data = Data(EveryStatus());
  EXPECT_EQ(data["schema"], "opbyop-page/5");
  EXPECT_EQ(data["cases"].size(), 13u);
  ASSERT_EQ(data["rows"].size(), 26u);
  EXPECT_EQ(data["statuses"].size(), kAllStatuses.size());
  const Json status = PackedField(data, "row", data["rows"][6], "status");
  EXPECT_EQ(status, static_cast<int>(Status::kCrash));
  EXPECT_EQ(data["statuses"][status.get<size_t>()], "crash");
  EXPECT_EQ(data["models"][2]["error"], "cut off");
}

TEST(PageDataTest, TextThatRepeatsIsWrittenOnce) {
  const std::string text = DataOf(EveryStatus().MakeView());
  EXPECT_EQ(CountOf(text, "model.py:7"), 0u);
  EXPECT_EQ(CountOf(text, "cases/"), 1u) << "the case id is taken out of file names";
  EXPECT_EQ(CountOf(text, "opbyop repro"), 1u);
}

TEST(PageDataTest, NothingInTheDataEndsItsElement) {
  const ExampleRun example = EveryStatus("</script><script>alert(1)</script><!--");
  EXPECT_THAT(DataOf(example.MakeView()), Not(HasSubstr("<")));
  const std::string page = PageOf(example.MakeView());
  EXPECT_EQ(CountOf(page, "</script>"), 2u) << "of the data and of the program";
  EXPECT_EQ(CountOf(page, "<script>alert"), 0u);
}

TEST(PageDataTest, NumbersThatJsonLacksAreWords) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kFail, "compare", "x").comparisons = {
      {.max_abs = INFINITY, .max_rel = -INFINITY, .pcc = NAN, .cosine = 0.9999999876, .rmse = 0.123456}};
  const Json data = Data(example);
  const Json record = RecordOf(data);
  const Json comparison = PackedField(data, "record", record, "comparisons")[0];
  EXPECT_EQ(PackedField(data, "comparison", comparison, "max_abs"), "inf");
  EXPECT_EQ(PackedField(data, "comparison", comparison, "max_rel"), "-inf");
  EXPECT_EQ(PackedField(data, "comparison", comparison, "pcc"), "nan");
  EXPECT_EQ(PackedField(data, "comparison", comparison, "cosine"), 0.9999999876) << "what tells it from 1 is kept";
  EXPECT_EQ(PackedField(data, "comparison", comparison, "rmse"), 0.1235);
}

TEST(PageDataTest, ARowShowsUnderWhichPolicyItIsRed) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_1", Status::kFail, "compare", "under edge: x");
  record.comparisons = {{.policy = "domain"}, {.unbounded = 2, .policy = "edge"}};
  record.sets = {{"domain", 7, Status::kPass, "compare", "", 0}, {"edge", 7, Status::kFail, "compare", "x", 2}};
  const Json data = Data(example);
  const Json detail = RecordOf(data);
  const auto text = [&](const Json& index) { return data["strings"][index.get<size_t>()]; };
  const Json second = PackedField(data, "record", detail, "comparisons")[1];
  EXPECT_EQ(text(PackedField(data, "comparison", second, "policy")), "edge");
  EXPECT_EQ(PackedField(data, "comparison", second, "unbounded"), 2);
  const Json edge = PackedField(data, "record", detail, "sets")[1];
  EXPECT_EQ(text(PackedField(data, "set", edge, "policy")), "edge");
  EXPECT_EQ(PackedField(data, "set", edge, "seed"), "7");
  EXPECT_EQ(PackedField(data, "set", edge, "status"), static_cast<int>(Status::kFail));
  EXPECT_EQ(text(PackedField(data, "set", edge, "stage")), "compare");
  EXPECT_EQ(text(PackedField(data, "set", edge, "diagnostic")), "x");
  EXPECT_EQ(PackedField(data, "set", edge, "unbounded"), 2);
}

TEST(PageDataTest, APassingRowShowsWhichPolicyJudgedNothing) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_1", Status::kPass, "compare", "");
  record.sets = {{.policy = "domain", .status = Status::kPass, .stage = "compare"},
                 {.policy = "sparse", .status = Status::kSkipped, .diagnostic = "too large", .judged_nothing = true}};
  const Json data = Data(example);
  const Json row = PackedField(data, "row", data["rows"][0], "diagnostic");
  EXPECT_EQ(data["strings"][row.get<size_t>()], "nothing was judged under sparse: too large");
}

TEST(PageDataTest, ARunOfABundleNamesTheMachineAndTheVersionThatCompiledIt) {
  ExampleRun example = OneOfEverything();
  EXPECT_FALSE(Data(example)["run"].contains("compiled"));
  EXPECT_FALSE(Data(example)["run"].contains("other_version"));
  example.run.header.compiled = {{"cpu", "EPYC"},
                                 {"os", "Debian 12"},
                                 {"start", "2026-11-21T10:15:00.123456+00:00"},
                                 {"other_version", "compiled with a 1, executed with a 2"}};
  const Json run = Data(example)["run"];
  EXPECT_EQ(run["compiled"], "on EPYC, Debian 12, 2026-11-21T10:15:00");
  EXPECT_EQ(run["other_version"], "compiled with a 1, executed with a 2");
}

TEST(PageDataTest, SeedKeepsAllItsDigits) {
  ExampleRun example;
  example.run.header.seed = 18'446'744'073'709'551'615u;
  EXPECT_EQ(Data(example)["run"]["seed"], "18446744073709551615");
}

TEST(PageDataTest, CaseThatWasNotRunHasNoRecord) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  const Json data = Data(example);
  EXPECT_EQ(RecordOf(data), nullptr);
  EXPECT_EQ(PackedField(data, "row", data["rows"][0], "stage"), -1);
}

TEST(HtmlTest, PageAsksTheNetworkForNothing) {
  const std::string page = PageOf(EveryStatus().MakeView());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* part : {" src=", "@import", "url(http", "<link rel=\"stylesheet\"", "fetch(", "XMLHttpRequest"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(HtmlTest, PageIsReadableWithoutScript) {
  const std::string page = PageOf(EveryStatus("<b>").MakeView());
  EXPECT_THAT(page, HasSubstr("<noscript>"));
  EXPECT_THAT(page, HasSubstr("cut off&lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("<title>7.7 % of rows pass on host - opbyop</title>"));
}

}  // namespace
}  // namespace opbyop::reports
