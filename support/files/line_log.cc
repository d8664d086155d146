// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/line_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "support/files/file.h"

namespace opbyop {

Expected<std::unique_ptr<LineLog>> LineLog::Open(const std::filesystem::path& path,
                                                 const std::function<void(std::string_view)>& read) {
  std::error_code ignored;  // opening reports it
  std::filesystem::create_directories(path.parent_path(), ignored);
  if (std::filesystem::is_other(path, ignored)) {
    return MakeError(ExitCode::kNoInput, path.string() + ": is a pipe or a device, expected a file");
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", path.string(), std::strerror(errno)));
  std::unique_ptr<LineLog> log(new LineLog(path, fd));
  std::ifstream in(path);
  bool cut = false;
  for (std::string line; std::getline(in, line);) {
    cut = in.eof();
    read(line);
  }
  // If a kill truncated the last line, it is ended here, so that the next line is not damaged.
  if (cut) {
    if (const Expected<void> ended = log->Append(""); !ended) return Unexpected(ended.error());
  }
  return log;
}

LineLog::~LineLog() { ::close(fd_); }

Expected<void> LineLog::Append(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  if (const std::error_code error = WriteAll(fd_, std::string(line) + "\n")) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", path_.string(), error.message()));
  }
  return {};
}

}  // namespace opbyop
