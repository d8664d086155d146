#include "harness/results_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/clock.h"
#include "support/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

std::string Line(std::string json) {
  if (json.empty() || json.back() != '\n') json.push_back('\n');
  return json;
}

}  // namespace

Expected<ResultsWriter> ResultsWriter::Create(const fs::path& path, const RunHeader& header,
                                              const std::vector<CaseRecord>& known) {
  ResultsWriter writer;
  writer.path_ = path;
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  // Whoever writes the file holds a lock on it.
  const int old_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool busy = old_fd >= 0 && ::flock(old_fd, LOCK_EX | LOCK_NB) != 0;
  if (old_fd >= 0) ::close(old_fd);
  if (busy) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} is being written by another run; name another folder with --out", path.string()));
  }
  std::string text = Line(ToJsonLine(header));
  for (const CaseRecord& record : known) {
    text += Line(ToJsonLine(record));
    ++writer.totals_[std::string(ToString(record.status))];
  }
  if (const Expected<void> written = WriteFile(path, text); !written) return Unexpected(written.error());
  writer.fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (writer.fd_ < 0 || ::flock(writer.fd_, LOCK_EX | LOCK_NB) != 0) {
    return MakeError(ExitCode::kNoInput, fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno)));
  }
  return writer;
}

ResultsWriter::ResultsWriter(ResultsWriter&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), totals_(std::move(other.totals_)) {}

ResultsWriter::~ResultsWriter() {
  if (fd_ >= 0) ::close(fd_);
}

Expected<void> ResultsWriter::Write(std::string_view line) {
  if (const std::error_code error = WriteAll(fd_, line)) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("a result cannot be written to {}: {}", path_.string(), error.message()));
  }
  return {};
}

Expected<void> ResultsWriter::Append(const CaseRecord& record) {
  ++totals_[std::string(ToString(record.status))];
  return Write(Line(ToJsonLine(record)));
}

Expected<void> ResultsWriter::Finish(double wall_s) {
  return Write(Line(ToJsonLine(RunFooter{totals_, wall_s, NowRfc3339()})));
}

Expected<std::vector<CaseRecord>> ReadForResume(const fs::path& path, const RunHeader& header) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::vector<CaseRecord>();
  Expected<Run> run = LoadRun(path);
  if (!run) return Unexpected(run.error());
  const RunHeader& old = run->header;
  const std::array<std::array<std::string, 3>, 5> facts = {{
      {"manifest hash", old.manifest_hash, header.manifest_hash},
      {"target", old.target, header.target},
      {"toolchain", old.toolchain, header.toolchain},
      {"policy", old.policy, header.policy},
      {"seed", std::to_string(old.seed), std::to_string(header.seed)},
  }};
  for (const auto& [what, then, now] : facts) {
    if (then == now) continue;
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} cannot be resumed: its {} is '{}', this run's is '{}'; run without --resume or "
                                 "name another folder with --out",
                                 path.string(), what, then, now));
  }
  return std::move(run->cases);
}

}  // namespace opbyop
