// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/results_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <cerrno>

#include "manifests/results/results_file.h"
#include "support/files/file.h"
#include "support/test_child.h"
#include "support/test_folder.h"

namespace {

// The content of the file at each sync, and the error of the next syncs, if any.
std::vector<std::string>* synced = nullptr;
int sync_problem = 0;

}  // namespace

// Replaces the system's function.
extern "C" int fdatasync(int fd) {
  if (sync_problem != 0) {
    errno = sync_problem;
    return -1;
  }
  if (synced != nullptr) synced->push_back(opbyop::ReadFile("/proc/self/fd/" + std::to_string(fd)).value());
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace opbyop::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  void SetUp() override {
    synced = &synced_;
    sync_problem = 0;
  }
  void TearDown() override {
    synced = nullptr;
    sync_problem = 0;
  }

  std::filesystem::path File() const { return folder_.path() / "run/results.jsonl"; }

  Expected<std::unique_ptr<ResultsWriter>> Open(const std::vector<CaseRecord>& kept = {},
                                                std::chrono::milliseconds interval = std::chrono::hours(1)) const {
    Expected<FileLock> lock = LockResults(File());
    if (!lock) return Unexpected(lock.error());
    return ResultsWriter::Create(std::move(*lock), File(), Header(), kept, {}, interval);
  }

  TestFolder folder_;
  std::vector<std::string> synced_;
};

TEST_F(ResultsWriterTest, EveryRecordIsReadableAsSoonAsItIsAppended) {
  const auto writer = Open();
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE((*writer)->Append(Record("a")));
  Expected<opbyop::Run> run = LoadRun(File());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->cases.size(), 1u);
  EXPECT_FALSE(run->complete);
  ASSERT_TRUE((*writer)->Append(Record("b", Status::kCrash)));
  ASSERT_TRUE((*writer)->Finish(1.5));
  run = LoadRun(File());
  EXPECT_TRUE(run->complete);
  EXPECT_EQ(run->footer.totals, (std::map<std::string, int64_t>{{"crash", 1}, {"pass", 1}}));
}

TEST_F(ResultsWriterTest, OneWriterAtATime) {
  const auto first = Open();
  ASSERT_TRUE(first);
  const auto second = Open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ExitCode::kUsage);
  EXPECT_THAT(second.error().message, HasSubstr("another run"));
}

TEST_F(ResultsWriterTest, AFileThatIsNoLongerThereEndsTheRun) {
  for (const bool replaced : {false, true}) {
    const auto writer = Open();
    ASSERT_TRUE(writer) << writer.error().message;
    ASSERT_TRUE((*writer)->Append(Record("a")));
    std::filesystem::remove_all(File().parent_path());
    if (replaced) ASSERT_TRUE(WriteFile(File(), "somebody else's\n"));
    const Expected<void> appended = (*writer)->Append(Record("b"));
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ExitCode::kNoInput);
    EXPECT_THAT(appended.error().message, HasSubstr(replaced ? "was replaced" : "was removed or moved away"));
    EXPECT_FALSE((*writer)->Append(Record("c")));
    EXPECT_FALSE((*writer)->Finish(1));
  }
}

TEST_F(ResultsWriterTest, TheTotalsCountEachCaseOnce) {
  const auto writer = Open({Record("a", Status::kFail), Record("b")});
  ASSERT_TRUE((*writer)->Append(Record("a")));
  ASSERT_TRUE((*writer)->Finish(1));
  EXPECT_EQ(LoadRun(File())->footer.totals, (std::map<std::string, int64_t>{{"pass", 2}}));
}

TEST_F(ResultsWriterTest, AnAmendedCaseHasOnlyItsLastRecordInThePlaceOfItsFirst) {
  const auto writer = Open();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE((*writer)->Append(Record(id)));
  ASSERT_TRUE((*writer)->Amend(Record("a", Status::kFail)));
  ASSERT_TRUE((*writer)->Amend(Record("a", Status::kCrash)));
  EXPECT_EQ(LoadRun(File())->cases[0].status, Status::kCrash) << "while the run goes on, too";
  ASSERT_TRUE((*writer)->DropAmended());
  ASSERT_TRUE((*writer)->Append(Record("d")));
  ASSERT_TRUE((*writer)->Finish(1));
  std::vector<std::string> ids;
  const Expected<opbyop::Run> run =
      ScanRun(File(), [&](const CaseRecord& record, RecordPlace) { ids.push_back(record.id); });
  ASSERT_TRUE(run);
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(LoadRun(File())->cases[0].status, Status::kCrash);
  EXPECT_EQ(run->footer.totals, (std::map<std::string, int64_t>{{"crash", 1}, {"pass", 3}}));
  EXPECT_TRUE(run->complete);
}

TEST_F(ResultsWriterTest, AnEventIsNotABadLine) {
  const auto writer = Open();
  ASSERT_TRUE((*writer)->Append(Record("a")));
  ASSERT_TRUE((*writer)->Append(RunEvent{.text = "the worker was replaced", .lasting = true}));
  ASSERT_TRUE((*writer)->Finish(1));
  const Expected<opbyop::Run> run = LoadRun(File());
  ASSERT_TRUE(run);
  ASSERT_EQ(run->events.size(), 1u);
  EXPECT_EQ(run->events[0].text, "the worker was replaced");
  EXPECT_TRUE(run->events[0].lasting);
  EXPECT_TRUE(run->complete);
  EXPECT_TRUE(run->bad_lines.empty());
}

TEST_F(ResultsWriterTest, KeptRecordsAreInTheFileFromTheStart) {
  const auto writer = Open({Record("a"), Record("b")});
  EXPECT_EQ(LoadRun(File())->cases.size(), 2u);
  EXPECT_TRUE((*writer)->Has("a"));
  EXPECT_FALSE((*writer)->Has("c"));
}

TEST_F(ResultsWriterTest, RecordsAreOnTheDiskBeforeTheFooterAndTheFooterBeforeItEnds) {
  const auto writer = Open();
  ASSERT_TRUE((*writer)->Append(Record("a")));
  ASSERT_TRUE((*writer)->Finish(1));
  ASSERT_EQ(synced_.size(), 2u);
  EXPECT_THAT(synced_[0], HasSubstr("\"a\""));
  EXPECT_THAT(synced_[0], Not(HasSubstr("footer")));
  EXPECT_EQ(synced_[1], *ReadFile(File()));
}

TEST_F(ResultsWriterTest, RecordsArePutOnTheDiskTogetherAfterTheInterval) {
  const auto writer = Open({}, std::chrono::milliseconds(0));
  ASSERT_TRUE((*writer)->SyncIfDue());
  EXPECT_TRUE(synced_.empty()) << "nothing was appended";
  ASSERT_TRUE((*writer)->Append(Record("a")));
  ASSERT_TRUE((*writer)->Append(Record("b")));
  ASSERT_TRUE((*writer)->SyncIfDue());
  ASSERT_TRUE((*writer)->SyncIfDue());
  ASSERT_EQ(synced_.size(), 1u);
  EXPECT_EQ(synced_[0], *ReadFile(File()));
}

TEST_F(ResultsWriterTest, NothingIsPutOnTheDiskWithinTheInterval) {
  const auto writer = Open();
  ASSERT_TRUE((*writer)->Append(Record("a")));
  ASSERT_TRUE((*writer)->SyncIfDue());
  EXPECT_TRUE(synced_.empty());
}

TEST_F(ResultsWriterTest, AFailedWriteMakesEveryLaterCallFail) {
  const auto writer = Open();
  ASSERT_TRUE((*writer)->Append(Record("a")));
  sync_problem = EIO;
  const Expected<void> finished = (*writer)->Finish(1);
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, HasSubstr("Input/output error"));
  sync_problem = 0;
  EXPECT_FALSE((*writer)->Append(Record("b")));
  EXPECT_FALSE((*writer)->Finish(1));
  EXPECT_FALSE(LoadRun(File())->complete);
}

TEST_F(ResultsWriterTest, AnInterruptedRunsRecordsAreOnTheDisk) {
  const auto writer = Open();
  ASSERT_TRUE((*writer)->Append(Record("a")));
  EXPECT_EQ(
      InChild([&] { return (*writer)->Freeze() && synced_.size() == 1 && synced_[0] == *ReadFile(File()) ? 0 : 1; }),
      0);
}

// If the file may grow again, the part of a record that was cut off must not be before the next record.
TEST_F(ResultsWriterTest, AFileThatCannotGrowForAWhileHoldsOnlyCompleteRecords) {
  const int code = InChild([&] {
    ReportFullFilesAsErrors();
    const auto writer = Open();
    if (!writer) return 1;
    if (!(*writer)->Append(Record("a"))) return 2;
    const auto size = static_cast<rlim_t>(std::filesystem::file_size(File()));
    LimitFileSize(size + 10);
    const Expected<void> failed = (*writer)->Append(Record("b"));
    if (failed || failed.error().code != ExitCode::kNoInput) return 3;
    if (std::filesystem::file_size(File()) != size) return 4;
    LimitFileSize(RLIM_INFINITY);
    if ((*writer)->Append(Record("c"))) return 5;
    if ((*writer)->Finish(1)) return 6;
    return 0;
  });
  EXPECT_EQ(code, 0);
  const Expected<opbyop::Run> run = LoadRun(File());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->bad_lines.empty());
  EXPECT_EQ(run->cases.size(), 1u);
  EXPECT_FALSE(run->complete);
}

// The same on a full file system, if this process may mount one.
TEST_F(ResultsWriterTest, AFullDiskThatGetsRoomAgainHoldsWholeRecordsOnly) {
  constexpr int kMayNot = 77;
  std::filesystem::create_directories(File().parent_path());
  const int code = InChild([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", File().parent_path().c_str(), "tmpfs", 0, "size=64k") != 0) {
      return kMayNot;
    }
    const auto writer = Open();
    if (!writer) return 1;
    int whole = 0;
    while ((*writer)->Append(Record("case_" + std::to_string(whole)))) ++whole;
    if (whole < 10) return 2;
    ::mount("tmpfs", File().parent_path().c_str(), "tmpfs", MS_REMOUNT, "size=1m");
    if ((*writer)->Append(Record("late"))) return 3;
    const Expected<opbyop::Run> run = LoadRun(File());
    if (!run || !run->bad_lines.empty()) return 4;
    return static_cast<int>(run->cases.size()) == whole ? 0 : 5;
  });
  if (code == kMayNot) GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_EQ(code, 0);
}

TEST_F(ResultsWriterTest, AFileThatCannotBeReplacedStaysAsItIs) {
  {
    const auto writer = Open();
    ASSERT_TRUE((*writer)->Append(Record("a")));
  }
  const std::string before = *ReadFile(File());
  EXPECT_EQ(InChild([&] {
              ReportFullFilesAsErrors();
              LimitFileSize(100);
              return Open({Record("a")}) ? 1 : 0;
            }),
            0);
  EXPECT_EQ(*ReadFile(File()), before);
}

}  // namespace
}  // namespace opbyop::harness
