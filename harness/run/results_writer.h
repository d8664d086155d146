// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// results.jsonl as it grows: one write(2) per record, so a run killed at any byte leaves a readable file.
//
//   Expected<FileLock> lock = LockResults(path);                       // no other run writes it from here on
//   auto writer = ResultsWriter::Create(std::move(*lock), path, header, kept);
//   (*writer)->Append(record);                                         // as each case ends
//   (*writer)->SyncIfDue();                                            // now and then, from whoever has time
//   (*writer)->Finish(wall_s);
//
// A write that fails is taken back, and nothing is written after it: a disk that gets room again must not find half a
// record in the middle. Nor is anything written after the file was removed, moved or replaced: whoever did that would
// find no result at the end. From any thread.
#ifndef OPBYOP_HARNESS_RUN_RESULTS_WRITER_H_
#define OPBYOP_HARNESS_RUN_RESULTS_WRITER_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "manifests/results/result.h"
#include "support/expected.h"
#include "support/files/file_lock.h"

namespace opbyop::harness {

// Makes the folder of `path`. kUsage where another process is writing the file.
Expected<FileLock> LockResults(const std::filesystem::path& path);

class ResultsWriter {
 public:
  // Replaces the file by header, `events` and `kept` records, all at once and on the disk. `sync_interval`: of
  // SyncIfDue.
  static Expected<std::unique_ptr<ResultsWriter>> Create(
      FileLock lock, const std::filesystem::path& path, const RunHeader& header, const std::vector<CaseRecord>& kept,
      const std::vector<RunEvent>& events = {}, std::chrono::milliseconds sync_interval = std::chrono::seconds(1));

  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;
  ~ResultsWriter();

  // kNoInput with the system's reason; every later call then fails the same way.
  Expected<void> Append(const CaseRecord& record);

  Expected<void> Append(const RunEvent& event);

  // A record in the place of an earlier one of its case, which stays in the file until DropAmended writes that anew,
  // with the last record of each such case where the first one stood.
  Expected<void> Amend(const CaseRecord& record);
  Expected<void> DropAmended();

  // Puts on the disk what was appended, where that was not done for the interval. Nobody waits for it meanwhile.
  Expected<void> SyncIfDue();

  Expected<void> Sync();

  // Records on the disk, then the footer with the totals of all of them, then that too.
  Expected<void> Finish(double wall_s);

  // Records on the disk, and nothing is written any more: appending threads wait for the end of the process.
  Expected<void> Freeze();

  // The lock on the file, for who still has to read what was written before another run may replace it. Last of all.
  FileLock TakeLock() && { return std::move(lock_); }

  bool Has(const std::string& case_id) const;

  // The file was removed, moved or replaced: nobody will find what was written.
  bool lost() const { return lost_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ResultsWriter(FileLock lock) : lock_(std::move(lock)) {}
  Expected<void> Write(std::string_view line);
  Expected<void> SyncLocked();
  Expected<void> CheckPlace();
  tl::unexpected<Error> Fail(const std::error_code& reason);

  FileLock lock_;
  std::filesystem::path path_;
  std::chrono::milliseconds sync_interval_{0};
  int fd_ = -1;
  std::pair<dev_t, ino_t> identity_;  // of the file
  mutable std::mutex mutex_;
  int64_t size_ = 0;  // of the whole records
  bool dirty_ = false;
  std::chrono::steady_clock::time_point synced_;
  std::optional<Error> failed_;
  std::atomic<bool> lost_ = false;
  std::unordered_map<std::string, Status> statuses_;
  std::unordered_map<std::string, std::string> amended_;  // cases with several records; what is written of them
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RESULTS_WRITER_H_
