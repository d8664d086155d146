// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A text file that many calls append to, a line at a time, and that a kill at any moment leaves readable.
//
//   auto log = LineLog::Open("progress.jsonl", [&](std::string_view line) { Read(line); });   // what is there
//   (*log)->Append(R"({"case":"add_1"})");                                                  // written at once
#ifndef OPBYOP_SUPPORT_FILES_LINE_LOG_H_
#define OPBYOP_SUPPORT_FILES_LINE_LOG_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

class LineLog {
 public:
  // Makes the file, and its folder, where there is none. Each line that is there is shown to `read`, one cut short
  // too. kNoInput with the system's reason.
  static Expected<std::unique_ptr<LineLog>> Open(const std::filesystem::path& path,
                                                 const std::function<void(std::string_view)>& read);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // `line` without its newline. Thread-safe. kNoInput with the system's reason.
  Expected<void> Append(std::string_view line);

 private:
  LineLog(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::filesystem::path path_;
  std::mutex mutex_;
  int fd_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_LINE_LOG_H_
