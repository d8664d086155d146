// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/optrace/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/files/file.h"

namespace opbyop::optrace {
namespace {

using ::testing::HasSubstr;

class TraceFileTest : public testing::Test {
 protected:
  TraceFileTest() : path_(testing::TempDir() + "/trace_" + std::to_string(::getpid()) + ".ndjson") {}
  ~TraceFileTest() override { std::filesystem::remove(path_); }

  void Write(const std::vector<Record>& records) {
    auto writer = TraceWriter::Create(path_, header_);
    ASSERT_TRUE(writer) << writer.error().message;
    for (const Record& record : records) ASSERT_TRUE((*writer)->Write(record));
  }

  std::string ErrorOf(std::string_view text) {
    EXPECT_TRUE(WriteFile(path_, text));
    const auto trace = ReadTrace(path_);
    return trace ? "" : trace.error().message;
  }

  std::filesystem::path path_;
  Header header_ = {
      .run_id = "r", .command = {"opbyop", "profile"}, .model = "NN", .devices = {{0, "host", 2, 10, 20}}};
  Op op_ = {.id = 0,
            .case_id = "dot_4x4_f32_1",
            .hlo = "dot_general",
            .framework = "aten__addmm",
            .path = {"NN[model]", "Linear[layer1]"},
            .operands = {{{4, 4}, "f32"}},
            .flops = 128};
  Span span_ = {.id = 3, .op = 0, .name = "dot_general.0", .start_ps = 10, .dur_ps = 20};
};

TEST_F(TraceFileTest, ReadsBackWhatWasWritten) {
  span_.exactness = Exactness::kBounded;
  span_.start_bounds = Bounds{5, 10};
  OutputCompare compare = {0, CompareMode::kIsolated, {}, {"0.1000"}, {"0.1001"}};
  compare.comparison.max_ulp = 3;
  Write(
      {op_, span_, OpRun{0, Status::kPass, "compare", "", 10, 1, 2, 3, 4}, compare, Warning{"w"}, Footer{100, 1, 90}});
  const auto trace = ReadTrace(path_);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->header, header_);
  EXPECT_EQ(trace->ops, std::vector{op_});
  EXPECT_EQ(trace->spans, std::vector{span_});
  EXPECT_EQ(trace->runs[0].p95_ps, 3);
  EXPECT_EQ(trace->compares[0].comparison.max_ulp, 3);
  EXPECT_EQ(trace->compares[0].device, std::vector<std::string>{"0.1001"});
  EXPECT_EQ(trace->footer, (Footer{100, 1, 90}));
}

TEST_F(TraceFileTest, AKilledRunIsReadableUpToItsLastWholeLine) {
  Write({op_, span_, Footer{}});
  const std::string text = ReadFile(path_).value();
  for (size_t size = text.find('\n') + 1; size < text.size(); size += 7) {
    ASSERT_TRUE(WriteFile(path_, text.substr(0, size)));
    const auto trace = ReadTrace(path_);
    ASSERT_TRUE(trace) << size << ": " << trace.error().message;
    EXPECT_FALSE(trace->warnings.empty());
  }
}

TEST_F(TraceFileTest, SaysThatAFileIsEmpty) { EXPECT_THAT(ErrorOf(""), HasSubstr("the file is empty")); }

TEST_F(TraceFileTest, SaysThatAFileIsNoTrace) {
  EXPECT_THAT(ErrorOf("{\"traceEvents\": []}\n"), HasSubstr("expected the header of a trace"));
}

TEST_F(TraceFileTest, NamesTheVersionOfANewerTrace) {
  EXPECT_THAT(ErrorOf("{\"record\":\"header\",\"schema\":\"optrace/9\"}\n"), HasSubstr("schema optrace/9"));
}

TEST_F(TraceFileTest, NamesTheLineOfABadRecord) {
  EXPECT_THAT(ErrorOf("{\"record\":\"header\",\"schema\":\"optrace/1\"}\n{\"record\":\"span\"}\n"),
              HasSubstr(".ndjson:2: no record of a trace"));
}

TEST_F(TraceFileTest, RefusesTooDeepNestingAndTooLargeNumbersWithTheirLine) {
  const std::string header = "{\"record\":\"header\",\"schema\":\"optrace/1\"}\n";
  EXPECT_THAT(ErrorOf(header + std::string(300'000, '[') + "\n"), HasSubstr(".ndjson:2: no record of a trace: nested"));
  const auto with = [&](const std::string& number) {
    return ErrorOf(header + "{\"record\":\"op_run\",\"op\":" + number + "}\n");
  };
  EXPECT_THAT(with("1"), Not(HasSubstr("no record of a trace")));
  for (const std::string number : {"1e300", "18446744073709551615", "0.5", "\"1\""}) {
    EXPECT_THAT(with(number), HasSubstr(".ndjson:2: no record of a trace"));
  }
}

TEST_F(TraceFileTest, RefusesASpanOfAnOpThatIsNotThere) {
  Write({span_});
  const auto trace = ReadTrace(path_);
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, HasSubstr("names op 0 of 0"));
}

TEST_F(TraceFileTest, NotesARecordOfALaterKind) {
  ASSERT_TRUE(WriteFile(path_, "{\"record\":\"header\",\"schema\":\"optrace/1\"}\n{\"record\":\"energy\"}\n"));
  const auto trace = ReadTrace(path_);
  ASSERT_TRUE(trace);
  EXPECT_THAT(trace->warnings[0].text, HasSubstr("energy"));
}

TEST_F(TraceFileTest, AMissingFileIsReportedAsMissing) {
  const auto trace = ReadTrace("no-such-trace.ndjson");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, HasSubstr("no-such-trace.ndjson"));
}

TEST_F(TraceFileTest, ASecondOpRunReplacesTheFirst) {
  Write({op_, OpRun{.op = 0, .status = Status::kPass, .n = 3}, OpRun{.op = 0, .status = Status::kCrash, .n = 6},
         Footer{}});
  const auto trace = ReadTrace(path_);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->runs.size(), 1U);
  EXPECT_EQ(trace->runs[0].status, Status::kCrash);
  EXPECT_EQ(trace->runs[0].n, 6);
}

TEST_F(TraceFileTest, AnExistingTraceIsReplaced) {
  Write({op_, span_, Footer{}});
  Write({Footer{}});
  const auto trace = ReadTrace(path_);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_TRUE(trace->ops.empty());
}

TEST(AppendLineTest, ASpanLeavesOutFieldsWithTheirDefault) {
  std::string line;
  AppendLine(Span{.id = 7, .op = 3, .name = "add.3", .start_ps = 5, .dur_ps = 9}, line);
  EXPECT_EQ(line,
            "{\"record\":\"span\",\"id\":7,\"section\":\"execution\",\"start_ps\":5,\"dur_ps\":9,\"op\":3,"
            "\"name\":\"add.3\"}\n");
}

TEST(AppendLineTest, EveryFieldIsReadBack) {
  Span span = {.id = 7, .op = 3, .section = Section::kDataTransfer, .device = 1, .core = 2, .name = "input \"0\"\n"};
  span.start_ps = 5;
  span.dur_ps = 9;
  span.exactness = Exactness::kBounded;
  span.start_bounds = Bounds{1, 2};
  span.duration_bounds = Bounds{3, 4};
  span.iteration = 6;
  span.clock = Clock::kDevice;
  span.bytes = 4096.5;
  span.flow = 8;
  EXPECT_EQ(std::get<Span>(FromJson(ToJson(span))), span);
  span.bytes = 1e18;
  span.name = "\xc3\xa4";
  EXPECT_EQ(std::get<Span>(FromJson(ToJson(span))), span);
}

TEST(AppendLineTest, InvalidUtf8IsReplaced) {
  const auto span = std::get<Span>(FromJson(ToJson(Span{.name = "\xff"})));
  EXPECT_EQ(span.name, "\xef\xbf\xbd");
}

TEST(AppendLineTest, StatusesAndModesAreWrittenByName) {
  const nlohmann::json run = ToJson(OpRun{.op = 3, .status = Status::kOutOfMemory});
  EXPECT_EQ(run["status"], "out_of_memory");
  EXPECT_EQ(ToJson(OpRun{.op = 3})["status"], "");
  EXPECT_EQ(ToJson(OutputCompare{.mode = CompareMode::kAccumulated})["mode"], "accumulated");
  EXPECT_EQ(ToJson(Header{})["mode"], "chained");
  EXPECT_EQ(ToJson(Footer{.whole_model_status = Status::kPass})["whole_model_status"], "pass");
  EXPECT_FALSE(ToJson(Footer{}).contains("whole_model_status"));
}

TEST(AppendLineTest, StatusesAndModesAreReadBack) {
  for (const std::optional<Status> status : {std::optional(Status::kFail), std::optional<Status>()}) {
    EXPECT_EQ(std::get<OpRun>(FromJson(ToJson(OpRun{.op = 3, .status = status}))).status, status);
  }
  EXPECT_EQ(std::get<Header>(FromJson(ToJson(Header{.mode = RunMode::kWhole}))).mode, RunMode::kWhole);
  const OutputCompare compare = {.mode = CompareMode::kAccumulated};
  EXPECT_EQ(std::get<OutputCompare>(FromJson(ToJson(compare))).mode, CompareMode::kAccumulated);
}

TEST(AppendLineTest, AnUnknownStatusIsRefused) {
  EXPECT_THROW(FromJson({{"record", "op_run"}, {"op", 1}, {"status", "splendid"}}), nlohmann::json::exception);
}

TEST(AppendLineTest, ALineWithoutARequiredFieldIsRefused) {
  EXPECT_THROW(FromJson({{"record", "span"}, {"id", 1}}), nlohmann::json::exception);
}

}  // namespace
}  // namespace opbyop::optrace
