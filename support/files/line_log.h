// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A text file to which many calls append lines. A kill at any moment leaves it readable.
//
//   auto log = LineLog::Open("progress.jsonl", [&](std::string_view line) { Read(line); });   // existing lines
//   (*log)->Append(R"({"case":"add_1"})");                                                    // written at once
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
  // Creates the file and its folder if needed. Passes each existing line to `read`, including a truncated one. Returns
  // kNoInput with the system's reason.
  static Expected<std::unique_ptr<LineLog>> Open(const std::filesystem::path& path,
                                                 const std::function<void(std::string_view)>& read);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // `line` has no newline. Thread-safe. Returns kNoInput with the system's reason.
  Expected<void> Append(std::string_view line);

 private:
  LineLog(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::filesystem::path path_;
  std::mutex mutex_;
  int fd_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_LINE_LOG_H_
