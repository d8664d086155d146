// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/files/file.h"
#include "support/text/replace_all.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

std::filesystem::path Temp() { return std::filesystem::path(testing::TempDir()) / "results.jsonl"; }

std::string Example() {
  RunHeader header{.run_id = "r",
                   .target = "host",
                   .stages = {"parse", "compare"},
                   .compile_only = "no device",
                   .properties = {{"device_kind", "TPU v5 lite"}},
                   .manifest = "manifest.yaml",
                   .manifest_hash = "00",
                   .start = "2026-11-21T10:00:00.000000+00:00"};
  CaseRecord record{.id = "add_1", .status = Status::kFail, .stage = "compare", .diagnostic = "3 of 4 \xff elements"};
  record.stages = {{"parse", Status::kPass, 0.5, ""}, {"compare", Status::kFail, 1, "wrong"}};
  Comparison comparison;
  comparison.max_ulp = INFINITY;
  comparison.pcc = NAN;
  comparison.accepted = false;
  comparison.worst = {{{0, 1}, "nan", "1", INFINITY}};
  record.comparisons = {comparison};
  record.timing = {3, 1, 2, 4, true};
  record.cost = {{"optimal_seconds", 2.5e-6}};
  record.memory = {{"temporaries", 4096}};
  record.placements = {{{"Dram", "Interleaved", {1, 1}}}, {{"L1", "BlockSharded", {8, 8}}}};
  return ToJsonLine(header) + "\n" + ToJsonLine(record) + "\n" + ToJsonLine(RunFooter{{{"fail", 1}}, 2.5, ""}) + "\n";
}

TEST(ResultsFileTest, WrittenRunIsReadBack) {
  ASSERT_TRUE(WriteFile(Temp(), Example()));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->complete);
  EXPECT_EQ(run->header.compile_only, "no device");
  EXPECT_EQ(run->header.properties.at("device_kind"), "TPU v5 lite");
  ASSERT_EQ(run->cases.size(), 1u);
  const CaseRecord& record = run->cases[0];
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stages[1].diagnostic, "wrong");
  EXPECT_TRUE(std::isinf(record.comparisons[0].max_ulp));
  EXPECT_TRUE(std::isnan(record.comparisons[0].pcc));
  EXPECT_EQ(record.comparisons[0].worst[0].index, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(record.timing.p95_us, 4);
  EXPECT_TRUE(record.timing.device_clock);
  EXPECT_EQ(record.cost.at("optimal_seconds"), 2.5e-6);
  EXPECT_EQ(record.memory.at("temporaries"), 4096);
  EXPECT_EQ(record.placements.inputs, (std::vector<Placement>{{"Dram", "Interleaved", {1, 1}}}));
  EXPECT_EQ(record.placements.outputs, (std::vector<Placement>{{"L1", "BlockSharded", {8, 8}}}));
  EXPECT_EQ(run->footer.totals.at("fail"), 1);
}

TEST(ResultsFileTest, BatchAndDifferentialAreReadBack) {
  CaseRecord record{.id = "add_1", .status = Status::kFail, .batched = 50};
  EXPECT_EQ(ToJsonLine(record).find("differential"), std::string::npos) << "no other target was asked";
  record.differential = {"xla", Status::kPass, "compare", "", {{.bound_ratio = 0.5, .precision_ratio = 0.25}}};
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(RunHeader{.target = "host"}) + "\n" + ToJsonLine(record) + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->cases[0].batched, 50);
  EXPECT_EQ(Describe(run->cases[0].differential), "xla: pass, error 0.5 of its bound");
  EXPECT_EQ(run->cases[0].differential.comparisons[0].precision_ratio, 0.25);
  Differential failed{"xla", Status::kCrash, "compile", "died", {}};
  EXPECT_EQ(Describe(failed), "xla: crash in compile: died");
}

TEST(ResultsFileTest, FactsAboutTheOtherHalfOfABundleAreReadBack) {
  const RunHeader plain{.target = "host"};
  EXPECT_EQ(ToJsonLine(plain).find("compiled"), std::string::npos);
  RunHeader header = plain;
  header.compiled = {{"cpu", "EPYC"}, {"toolchain", "chip 2"}};
  const CaseRecord record{.id = "add_1", .artifact_sha256 = "00ff", .program_sha256 = "aa"};
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(header) + "\n" + ToJsonLine(record) + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->header.compiled, header.compiled);
  EXPECT_EQ(run->cases[0].artifact_sha256, "00ff");
  EXPECT_EQ(run->cases[0].program_sha256, "aa");
}

TEST(ResultsFileTest, ADifferentialRunIsReadUnderItsOldNameToo) {
  CaseRecord record{.id = "add_1", .status = Status::kFail};
  record.differential = {"xla", Status::kPass, "compare", "", {}};
  const std::string line = ReplaceAll(ToJsonLine(record), "differential", "second_opinion");
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(RunHeader{.target = "host"}) + "\n" + line + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->cases[0].differential.target, "xla");
}

TEST(ResultsFileTest, InputSetsAreReadBackAndOlderFilesHaveNone) {
  CaseRecord record{.id = "add_1", .status = Status::kFail};
  EXPECT_EQ(ToJsonLine(record).find("sets"), std::string::npos);
  record.comparisons = {{.policy = "domain"}, {.policy = "edge"}};
  record.sets = {{"domain", (1ull << 53) - 1, Status::kPass, "compare", "", 0},
                 {"edge", 7, Status::kFail, "compare", "3 of 4 elements", 2},
                 {"sweep", 7, Status::kSkipped, "inputs", "too large", 0, true}};
  ASSERT_TRUE(WriteFile(Temp(), Example() + ToJsonLine(record) + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  const CaseRecord& read = run->cases[0];
  EXPECT_EQ(read.comparisons[1].policy, "edge");
  ASSERT_EQ(read.sets.size(), 3u);
  EXPECT_EQ(read.sets[0].seed, (1ull << 53) - 1);
  EXPECT_EQ(read.sets[1].policy, "edge");
  EXPECT_EQ(read.sets[1].status, Status::kFail);
  EXPECT_EQ(read.sets[1].stage, "compare");
  EXPECT_EQ(read.sets[1].diagnostic, "3 of 4 elements");
  EXPECT_EQ(read.sets[1].unbounded, 2);
  EXPECT_FALSE(read.sets[1].judged_nothing);
  EXPECT_TRUE(read.sets[2].judged_nothing);
  ASSERT_TRUE(WriteFile(Temp(), Example()));
  EXPECT_TRUE(LoadRun(Temp())->cases[0].sets.empty());
}

TEST(ResultsFileTest, AFailureOfTheReferenceIsReadBackAndOtherwiseNotWritten) {
  CaseRecord record{.id = "add_1", .status = Status::kInconclusive};
  EXPECT_EQ(ToJsonLine(record).find("reference"), std::string::npos);
  record.reference = Status::kOutOfMemory;
  ASSERT_TRUE(WriteFile(Temp(), Example() + ToJsonLine(record) + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->cases[0].reference, Status::kOutOfMemory);
}

TEST(ResultsFileTest, ALineThatIsLongerThanAnyIsAnError) {
  ASSERT_TRUE(WriteFile(Temp(), Example()));
  std::filesystem::resize_file(Temp(), uintmax_t{1} << 40);
  const auto run = LoadRun(Temp());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ExitCode::kBadInput);
  EXPECT_THAT(run.error().message, HasSubstr("the line is longer than any of a results file"));
}

TEST(ResultsFileTest, TheFirstOfSeveralAttemptsIsReadBack) {
  CaseRecord record{.id = "add_1", .status = Status::kFlaky, .attempts = 2};
  EXPECT_EQ(ToJsonLine(record).find("first_attempt"), std::string::npos);
  record.first_attempt = {Status::kFail, "compare", "3 of 4 elements"};
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(RunHeader{.target = "host"}) + "\n" + ToJsonLine(record) + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  const FirstAttempt& first = run->cases[0].first_attempt;
  EXPECT_EQ(first.status, Status::kFail);
  EXPECT_EQ(first.stage, "compare");
  EXPECT_EQ(first.diagnostic, "3 of 4 elements");
}

TEST(ResultsFileTest, RunKilledAtAnyByteIsReadable) {
  const std::string whole = Example();
  const size_t header_end = whole.find('\n') + 1;
  for (size_t size = header_end; size < whole.size(); size += 7) {
    ASSERT_TRUE(WriteFile(Temp(), whole.substr(0, size)));
    const auto run = LoadRun(Temp());
    ASSERT_TRUE(run) << size << ": " << run.error().message;
    EXPECT_FALSE(run->complete);
  }
}

TEST(ResultsFileTest, ResumedRunKeepsTheLastRecordOfACase) {
  std::string text = Example();
  CaseRecord again{.id = "add_1", .status = Status::kPass};
  text += ToJsonLine(again) + "\n";
  ASSERT_TRUE(WriteFile(Temp(), text));
  const auto run = LoadRun(Temp());
  ASSERT_EQ(run->cases.size(), 1u);
  EXPECT_EQ(run->cases[0].status, Status::kPass);
  EXPECT_FALSE(run->complete) << "the footer is not its last record";
}

TEST(ResultsFileTest, NewerSchemaIsRefusedByName) {
  std::string text = Example();
  text.replace(text.find("results/1"), 9, "results/9");
  ASSERT_TRUE(WriteFile(Temp(), text));
  const auto run = LoadRun(Temp());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(run.error().message, HasSubstr("opbyop-results/9"));
}

// Returns Example() with this line before its footer.
std::string WithLine(const std::string& line) {
  std::string text = Example();
  text.insert(text.rfind('\n', text.size() - 2) + 1, line + "\n");
  return text;
}

TEST(ResultsFileTest, ADamagedLineIsReportedAndTheOthersAreKept) {
  const std::string cut = ToJsonLine(CaseRecord{.id = "add_2"}).substr(0, 40);
  ASSERT_TRUE(WriteFile(Temp(), WithLine(cut + ToJsonLine(CaseRecord{.id = "add_3"}))));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->bad_lines.size(), 1u);
  EXPECT_EQ(run->bad_lines[0].line, 3);
  EXPECT_THAT(run->bad_lines[0].why, HasSubstr("not JSON"));
  EXPECT_EQ(run->cases.size(), 1u);
  EXPECT_TRUE(run->complete);
  EXPECT_THAT(Describe(run->bad_lines), HasSubstr("1 line cannot be read: 3 (not JSON"));
}

TEST(ResultsFileTest, ATailOfNulBytesIsDroppedAsACutLineIs) {
  ASSERT_TRUE(WriteFile(Temp(), Example() + std::string(4096, '\0')));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->cases.size(), 1u);
  EXPECT_TRUE(run->bad_lines.empty());
}

TEST(ResultsFileTest, NulBytesBeforeALineAreReported) {
  ASSERT_TRUE(WriteFile(Temp(), WithLine(std::string(512, '\0') + ToJsonLine(CaseRecord{.id = "add_2"}))));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->bad_lines.size(), 1u);
  EXPECT_THAT(run->bad_lines[0].why, HasSubstr("NUL"));
}

struct Damage {
  std::string name;
  std::string line;
  std::string why;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class DamagedLineTest : public testing::TestWithParam<Damage> {};

TEST_P(DamagedLineTest, IsABadLine) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("damage_" + GetParam().name + ".jsonl");
  ASSERT_TRUE(WriteFile(file, WithLine(GetParam().line)));
  const auto run = LoadRun(file);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->bad_lines.size(), 1u);
  EXPECT_THAT(run->bad_lines[0].why, HasSubstr(GetParam().why));
  EXPECT_EQ(run->cases.size(), 1u);
}

std::string Nested(size_t depth) {
  return R"({"record":"case","case":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

std::string WithMember(const std::string& member) {
  return R"({"record":"case","case":"add_9","status":"pass","stages":[],)" + member + "}";
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedLineTest,
    testing::Values(Damage{"NestedDeep", Nested(200000), "nested more than 200 deep"},
                    Damage{"OpenBrackets", std::string(200000, '['), "nested more than 200 deep"},
                    Damage{"NotAnObject", "7", "not a JSON object"}, Damage{"NoRecord", "{}", "record"},
                    Damage{"IntegerBeyondRange", WithMember(R"("artifact_bytes":1e300)"), "is no whole number"},
                    Damage{"NegativeSeed", WithMember(R"("seed":-1)"), "is no whole number"},
                    Damage{"AttemptsBeyondInt", WithMember(R"("attempts":4294967297)"), "is no whole number"},
                    Damage{"FractionOfAnElement",
                           WithMember(R"("timing":{"n":1.5,"min_us":1,"median_us":1,"p95_us":1})"),
                           "is no whole number"},
                    Damage{"TextForATime",
                           R"({"record":"case","case":"a","status":"pass","stages":[{"name":"parse",)"
                           R"("status":"pass","ms":"fast"}]})",
                           "must be number"},
                    Damage{"NumberBeyondDouble", WithMember(R"("wall_ms":1e999)"), "not JSON"}),
    [](const testing::TestParamInfo<Damage>& info) { return info.param.name; });

// Spellings of other programs and editors.
TEST(ResultsFileTest, ARecordIsReadInEverySpellingOfItsJson) {
  const std::string plain = ToJsonLine(CaseRecord{.id = "add_2", .status = Status::kPass, .seed = UINT64_MAX});
  for (const std::string& line :
       {plain, "\xef\xbb\xbf" + plain, " " + plain + "\r", ReplaceAll(plain, "\"add_2\"", "\"add\\u005f2\""),
        ReplaceAll(plain, "\"status\":\"pass\"", "\"status\":\"fail\",\"status\":\"pass\""),
        ReplaceAll(plain, "\"wall_ms\":0.0", "\"wall_ms\":123456789012345678901234567890")}) {
    ASSERT_TRUE(WriteFile(Temp(), WithLine(line)));
    const auto run = LoadRun(Temp());
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->cases.size(), 2u) << line;
    EXPECT_EQ(run->cases[1].id, "add_2") << line;
    EXPECT_EQ(run->cases[1].status, Status::kPass) << line;
    EXPECT_EQ(run->cases[1].seed, UINT64_MAX) << line;
  }
}

TEST(ResultsFileTest, BracketsInATextAreNoNesting) {
  CaseRecord record{.id = "add_2", .status = Status::kFail, .diagnostic = std::string(1000, '[') + "\\\"{"};
  ASSERT_TRUE(WriteFile(Temp(), WithLine(ToJsonLine(record))));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->cases.size(), 2u);
  EXPECT_EQ(run->cases[1].diagnostic, record.diagnostic);
}

TEST(ResultsFileTest, ADamagedHeaderIsAnErrorWithItsLine) {
  ASSERT_TRUE(WriteFile(Temp(), "{\"record\":\"hea\n" + Example()));
  const auto run = LoadRun(Temp());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ExitCode::kBadInput);
  EXPECT_THAT(run.error().message, HasSubstr(":1: not JSON"));
}

TEST(ResultsFileTest, DecidingFactsAreReadBack) {
  const RunHeader header{.target = "host", .decides = {{"seed", "7"}, {"stages", "parse, compare"}}, .digest = "abc"};
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(header) + "\n"));
  const auto run = LoadRun(Temp());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->header.decides, header.decides);
  EXPECT_EQ(run->header.digest, "abc");
}

TEST(ResultsFileTest, FileWithoutHeaderIsBadInput) {
  ASSERT_TRUE(WriteFile(Temp(), ""));
  EXPECT_EQ(LoadRun(Temp()).error().code, ExitCode::kBadInput);
}

TEST(ResultsFileTest, AScannedFileGivesEachRecordAndItsPlace) {
  ASSERT_TRUE(WriteFile(Temp(), Example()));
  std::vector<RecordPlace> places;
  const auto run = ScanRun(Temp(), [&](const CaseRecord& record, RecordPlace place) {
    EXPECT_EQ(record.id, "add_1");
    places.push_back(place);
  });
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->complete);
  EXPECT_TRUE(run->cases.empty());
  ASSERT_EQ(places.size(), 1U);
  std::ifstream file(Temp());
  const auto record = ReadRecord(file, places[0]);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->stages[1].diagnostic, "wrong");
}

TEST(ResultsFileTest, AFileThatSeveralThreadsParseIsReadAsByOne) {
  std::string text = ToJsonLine(RunHeader{.target = "host"}) + "\n";
  for (int i = 0; text.size() < (size_t{5} << 20); ++i) {  // several times as much as is parsed at once
    CaseRecord record{.id = fmt::format("add_{}", i), .diagnostic = std::string(static_cast<size_t>(i % 997), 'x')};
    text += ToJsonLine(record) + "\n";
    if (i == 2000) text += "{\"record\":\"ca\n";
  }
  text += ToJsonLine(RunFooter{{}, 7, "end"}) + "\n{\"record\":";
  ASSERT_TRUE(WriteFile(Temp(), text));
  const auto read = [](unsigned threads) {
    std::string seen;
    const auto run = ScanRun(
        Temp(),
        [&](const CaseRecord& record, RecordPlace place) {
          seen += fmt::format("{} {} {}\n", record.id, place.offset, place.size);
        },
        threads);
    EXPECT_TRUE(run) << run.error().message;
    return seen + Describe(run->bad_lines) + (run->complete ? " complete" : " cut");
  };
  const std::string one = read(1);
  EXPECT_THAT(one, HasSubstr("1 line cannot be read: 2003 (not JSON) complete"));
  EXPECT_EQ(read(2), one);
  EXPECT_EQ(read(3), one);
}

TEST(ResultsFileTest, APlaceInAFileThatHasChangedIsRefused) {
  ASSERT_TRUE(WriteFile(Temp(), Example()));
  std::ifstream file(Temp());
  EXPECT_FALSE(ReadRecord(file, {3, 20}));
  EXPECT_FALSE(ReadRecord(file, {1 << 20, 20}));
}

TEST(ResultsFileTest, TheHeaderSaysWhichRowsWereToRun) {
  const RunHeader header{.target = "host", .filter = "--gtest_filter=*conv*", .selected = "0-2,7"};
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(header) + "\n"));
  const auto read = LoadRunHeader(Temp());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->filter, header.filter);
  EXPECT_EQ(read->selected, header.selected);
  EXPECT_EQ(ToJsonLine(RunHeader()).find("selected"), std::string::npos) << "all rows";
}

TEST(ResultsFileTest, TheHeaderHasTheDemandsOnTheRun) {
  const RunHeader header{.target = "host", .demands = ParseDemands("95%", "skipped,unsupported").value()};
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(header) + "\n"));
  const auto read = LoadRunHeader(Temp());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->demands.Flags(), header.demands.Flags());
  EXPECT_EQ(ToJsonLine(RunHeader()).find("min_pass"), std::string::npos) << "nothing";
}

TEST(ResultsFileTest, AHeaderWithAnInvalidDemandIsRefused) {
  ASSERT_TRUE(WriteFile(Temp(), ToJsonLine(RunHeader{.target = "host", .demands = {.min_pass = "most"}}) + "\n"));
  const auto read = LoadRunHeader(Temp());
  ASSERT_FALSE(read) << "a red run would be green";
  EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  EXPECT_THAT(read.error().message, HasSubstr(":1: --min-pass=most is neither"));
}

}  // namespace
}  // namespace opbyop
