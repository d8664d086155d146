#include "harness/results_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

RunHeader Header() {
  RunHeader header;
  header.run_id = "20261121T101500Z-0001";
  header.target = "mock";
  header.toolchain = "mock 1.0";
  header.stages = {"parse", "compare"};
  header.manifest = "manifest.yaml";
  header.manifest_hash = "abc";
  header.policy = "domain";
  header.start = "2026-11-21T10:15:00.123456+00:00";
  return header;
}

CaseRecord Record(const std::string& id, Status status = Status::kPass) {
  CaseRecord record;
  record.id = id;
  record.status = status;
  return record;
}

class ResultsWriterTest : public testing::Test {
 protected:
  std::filesystem::path File() const { return folder_.path() / "run/results.jsonl"; }
  TestFolder folder_;
};

TEST_F(ResultsWriterTest, EveryRecordIsReadableAsSoonAsItIsAppended) {
  Expected<ResultsWriter> writer = ResultsWriter::Create(File(), Header(), {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->Append(Record("a")));
  Expected<opbyop::Run> run = LoadRun(File());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->cases.size(), 1u);
  EXPECT_FALSE(run->complete);
  ASSERT_TRUE(writer->Append(Record("b", Status::kCrash)));
  ASSERT_TRUE(writer->Finish(1.5));
  run = LoadRun(File());
  EXPECT_TRUE(run->complete);
  EXPECT_EQ(run->footer.totals, (std::map<std::string, int64_t>{{"crash", 1}, {"pass", 1}}));
}

TEST_F(ResultsWriterTest, OneWriterAtATime) {
  const Expected<ResultsWriter> first = ResultsWriter::Create(File(), Header(), {});
  const Expected<ResultsWriter> second = ResultsWriter::Create(File(), Header(), {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another run"));
}

TEST_F(ResultsWriterTest, AResumedRunKeepsWholeRecordsAndDropsATornOne) {
  {
    Expected<ResultsWriter> writer = ResultsWriter::Create(File(), Header(), {});
    ASSERT_TRUE(writer->Append(Record("a")));
    ASSERT_TRUE(writer->Append(Record("b")));
  }
  const std::string text = *ReadFile(File());
  std::ofstream(File(), std::ios::trunc) << text.substr(0, text.size() - 7);
  const Expected<std::vector<CaseRecord>> known = ReadForResume(File(), Header());
  ASSERT_TRUE(known);
  ASSERT_EQ(known->size(), 1u);
  Expected<ResultsWriter> writer = ResultsWriter::Create(File(), Header(), *known);
  ASSERT_TRUE(writer->Append(Record("b", Status::kFail)));
  ASSERT_TRUE(writer->Finish(1));
  const Expected<opbyop::Run> run = LoadRun(File());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->cases.size(), 2u);
  EXPECT_EQ(run->footer.totals.at("pass"), 1);
}

TEST_F(ResultsWriterTest, NothingToResumeIsNoError) { EXPECT_TRUE(ReadForResume(File(), Header())->empty()); }

TEST_F(ResultsWriterTest, AnotherRunIsNotResumed) {
  ASSERT_TRUE(ResultsWriter::Create(File(), Header(), {}));
  RunHeader other = Header();
  other.manifest_hash = "def";
  EXPECT_THAT(ReadForResume(File(), other).error().message,
              HasSubstr("its manifest hash is 'abc', this run's is 'def'"));
  other = Header();
  other.toolchain = "mock 2.0";
  EXPECT_THAT(ReadForResume(File(), other).error().message, HasSubstr("toolchain"));
  other = Header();
  other.seed = 7;
  EXPECT_EQ(ReadForResume(File(), other).error().code, ExitCode::kUsage);
}

}  // namespace
}  // namespace opbyop
