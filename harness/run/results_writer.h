// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes results.jsonl, one write(2) per record: a run that is killed at any byte leaves a readable file.
//
//   Expected<FileLock> lock = LockResults(path);                       // no other run can write the file now
//   auto writer = ResultsWriter::Create(std::move(*lock), path, header, kept);
//   (*writer)->Append(record);                                         // as each case ends
//   (*writer)->SyncIfDue();                                            // now and then, from any thread
//   (*writer)->Finish(wall_s);
//
// A write that fails is undone, and nothing is written after it: if the disk gets room again, the file must not have
// half a record in the middle. Nothing is written either after the file was removed, moved or replaced, because a
// reader would not find it. Thread-safe.
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

// Creates the folder of `path`. kUsage if another process is writing the file.
Expected<FileLock> LockResults(const std::filesystem::path& path);

class ResultsWriter {
 public:
  // Replaces the file by header, `events` and `kept` records, atomically and synced to the disk. `sync_interval` is
  // that of SyncIfDue.
  static Expected<std::unique_ptr<ResultsWriter>> Create(
      FileLock lock, const std::filesystem::path& path, const RunHeader& header, const std::vector<CaseRecord>& kept,
      const std::vector<RunEvent>& events = {}, std::chrono::milliseconds sync_interval = std::chrono::seconds(1));

  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;
  ~ResultsWriter();

  // kNoInput with the system's reason. Every later call then fails with the same error.
  Expected<void> Append(const CaseRecord& record);

  Expected<void> Append(const RunEvent& event);

  // Appends a record that replaces an earlier one of the same case. Both stay in the file until DropAmended rewrites
  // it: then each such case has its last record, at the place of its first.
  Expected<void> Amend(const CaseRecord& record);
  Expected<void> DropAmended();

  // Syncs appended records to the disk if that was not done within the interval. Appends do not wait for it.
  Expected<void> SyncIfDue();

  Expected<void> Sync();

  // Syncs the records to the disk, then writes the footer with their totals and syncs that too.
  Expected<void> Finish(double wall_s);

  // Syncs the records to the disk and stops writing: threads that append then block until the process ends.
  Expected<void> Freeze();

  // Hands over the lock on the file, so that the caller can read what was written before another run replaces it. Call
  // it last.
  FileLock TakeLock() && { return std::move(lock_); }

  bool Has(const std::string& case_id) const;

  // True if the file was removed, moved or replaced: nobody will find what was written.
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
  int64_t size_ = 0;  // of the complete records
  bool dirty_ = false;
  std::chrono::steady_clock::time_point synced_;
  std::optional<Error> failed_;
  std::atomic<bool> lost_ = false;
  std::unordered_map<std::string, Status> statuses_;
  std::unordered_map<std::string, std::string> amended_;  // last records of the cases that have several
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RESULTS_WRITER_H_
