// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/results_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "support/files/file.h"
#include "support/files/output_file.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string Line(std::string json) {
  if (json.empty() || json.back() != '\n') json.push_back('\n');
  return json;
}

// Returns the id of the case whose record this line is; empty if the line is not the record of a case.
std::string IdOf(std::string_view line) {
  constexpr std::string_view kBegin = R"({"record":"case","case":")";
  if (!line.starts_with(kBegin)) return {};
  line.remove_prefix(kBegin.size());
  return std::string(line.substr(0, line.find('"')));
}

std::error_code SyncFile(int fd) {
  // EINVAL: the file is not on a disk.
  if (::fdatasync(fd) == 0 || errno == EINVAL) return {};
  return {errno, std::generic_category()};
}

}  // namespace

Expected<FileLock> LockResults(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{}: the folder cannot be made: {}", path.parent_path().string(), error.message()));
  }
  Expected<FileLock> lock = FileLock::Take(path.string() + ".lock", FileLock::Mode::kExclusive);
  if (lock || lock.error().code != ExitCode::kUsage) return lock;
  return MakeError(ExitCode::kUsage,
                   fmt::format("{} is being written by another run; name another folder with --out", path.string()));
}

Expected<std::unique_ptr<ResultsWriter>> ResultsWriter::Create(FileLock lock, const fs::path& path,
                                                               const RunHeader& header,
                                                               const std::vector<CaseRecord>& kept,
                                                               const std::vector<RunEvent>& events,
                                                               std::chrono::milliseconds sync_interval) {
  std::unique_ptr<ResultsWriter> writer(new ResultsWriter(std::move(lock)));
  writer->path_ = path;
  writer->sync_interval_ = sync_interval;
  std::string text = Line(ToJsonLine(header));
  for (const RunEvent& event : events) text += Line(ToJsonLine(event));
  for (const CaseRecord& record : kept) {
    text += Line(ToJsonLine(record));
    writer->statuses_[record.id] = record.status;
  }
  if (const Expected<void> written = WriteFileDurably(path, text); !written) return Unexpected(written.error());
  writer->size_ = static_cast<int64_t>(text.size());
  writer->synced_ = Clock::now();
  writer->fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  struct stat status = {};
  if (writer->fd_ < 0 || ::fstat(writer->fd_, &status) != 0) return writer->Fail({errno, std::generic_category()});
  writer->identity_ = {status.st_dev, status.st_ino};
  return writer;
}

ResultsWriter::~ResultsWriter() {
  if (fd_ >= 0) ::close(fd_);
}

tl::unexpected<Error> ResultsWriter::Fail(const std::error_code& reason) {
  failed_ = Error{
      ExitCode::kNoInput,
      fmt::format("a result cannot be written to {}: {}; nothing more is written there, and its records are complete",
                  path_.string(), reason.message())};
  return Unexpected(*failed_);
}

Expected<void> ResultsWriter::Write(std::string_view line) {
  if (failed_) return Unexpected(*failed_);
  if (const std::error_code error = WriteAll(fd_, line)) {
    // Cut off the half that was written. If that fails too it stays the last line, which readers drop.
    (void)!::ftruncate(fd_, static_cast<off_t>(size_));
    return Fail(error);
  }
  size_ += static_cast<int64_t>(line.size());
  dirty_ = true;
  return {};
}

// Checks that the file's name still leads to this file, because readers open it by its name.
Expected<void> ResultsWriter::CheckPlace() {
  if (failed_) return Unexpected(*failed_);
  struct stat status = {};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  if (there && identity_ == std::pair(status.st_dev, status.st_ino)) return {};
  lost_ = true;
  failed_ =
      Error{ExitCode::kNoInput, fmt::format("{} was {} while the run was writing it: the run ends here, start it again",
                                            path_.string(), there ? "replaced" : "removed or moved away")};
  return Unexpected(*failed_);
}

Expected<void> ResultsWriter::Append(const CaseRecord& record) {
  const std::string line = Line(ToJsonLine(record));
  const std::lock_guard guard(mutex_);
  Expected<void> written = Write(line);
  if (written) written = CheckPlace();
  if (written) statuses_[record.id] = record.status;
  return written;
}

Expected<void> ResultsWriter::Amend(const CaseRecord& record) {
  const Expected<void> written = Append(record);
  const std::lock_guard guard(mutex_);
  if (written) amended_[record.id].clear();
  return written;
}

Expected<void> ResultsWriter::Append(const RunEvent& event) {
  const std::string line = Line(ToJsonLine(event));
  const std::lock_guard guard(mutex_);
  return Write(line);
}

Expected<void> ResultsWriter::DropAmended() {
  const std::lock_guard guard(mutex_);
  if (failed_) return Unexpected(*failed_);
  if (amended_.empty()) return {};
  const auto find = [&](std::string_view line) { return amended_.find(IdOf(line)); };
  std::ifstream file(path_, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (const auto amended = find(line); amended != amended_.end()) amended->second = line;
  }
  Expected<std::unique_ptr<OutputFile>> out = OutputFile::Create(path_);
  if (!out) return Unexpected(out.error());
  file.clear();
  file.seekg(0);
  for (std::string line; std::getline(file, line);) {
    const auto amended = find(line);
    if (amended != amended_.end() && amended->second.empty()) continue;
    (*out)->Write((amended == amended_.end() ? line : std::exchange(amended->second, {})) + "\n");
  }
  if (!file.eof()) return Fail(std::make_error_code(std::errc::io_error));
  if (const Expected<void> closed = (*out)->Close(); !closed) return Unexpected(closed.error());
  amended_.clear();
  ::close(fd_);
  fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  struct stat status = {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) return Fail({errno, std::generic_category()});
  identity_ = {status.st_dev, status.st_ino};  // of the file that has replaced the old one
  size_ = status.st_size;
  dirty_ = true;
  return {};
}

Expected<void> ResultsWriter::SyncLocked() {
  if (failed_) return Unexpected(*failed_);
  dirty_ = false;
  synced_ = Clock::now();
  if (const std::error_code error = SyncFile(fd_)) return Fail(error);
  return {};
}

Expected<void> ResultsWriter::Sync() {
  const std::lock_guard guard(mutex_);
  return SyncLocked();
}

Expected<void> ResultsWriter::SyncIfDue() {
  {
    const std::lock_guard guard(mutex_);
    if (failed_ || !dirty_ || Clock::now() - synced_ < sync_interval_) return {};
    dirty_ = false;
    synced_ = Clock::now();
  }
  // Syncing takes milliseconds. Records can be appended meanwhile.
  const std::error_code error = SyncFile(fd_);
  if (!error) return {};
  const std::lock_guard guard(mutex_);
  return Fail(error);
}

Expected<void> ResultsWriter::Finish(double wall_s) {
  const std::lock_guard guard(mutex_);
  // Sync the records before the footer: with a footer on the disk first, an incomplete file would look complete.
  if (const Expected<void> synced = SyncLocked(); !synced) return synced;
  std::map<std::string, int64_t> totals;
  for (const auto& [id, status] : statuses_) ++totals[std::string(ToString(status))];
  if (const Expected<void> there = CheckPlace(); !there) return there;
  if (const Expected<void> written =
          Write(Line(ToJsonLine(RunFooter{totals, wall_s, FormatTimestamp(NowMicroseconds())})));
      !written) {
    return written;
  }
  return SyncLocked();
}

Expected<void> ResultsWriter::Freeze() {
  mutex_.lock();  // never unlocked: later calls block
  return SyncLocked();
}

bool ResultsWriter::Has(const std::string& case_id) const {
  const std::lock_guard guard(mutex_);
  return statuses_.contains(case_id);
}

}  // namespace opbyop::harness
