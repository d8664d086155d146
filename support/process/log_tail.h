// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps the last bytes of an endless text in bounded memory: the output of a worker before it died.
//
//   LogTail tail(64 << 10);
//   tail.Append(bytes);
//   for (const std::string& line : tail.Lines(40)) ...
#ifndef OPBYOP_SUPPORT_PROCESS_LOG_TAIL_H_
#define OPBYOP_SUPPORT_PROCESS_LOG_TAIL_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

class LogTail {
 public:
  explicit LogTail(size_t limit) : limit_(limit) {}

  void Append(std::string_view bytes);
  void Clear();

  // Returns at most the last `count` lines as text that is safe to print, each cut to about kMaxLineBytes. Only the
  // first frames of a stack dump are included, because the lines before it are more useful.
  std::vector<std::string> Lines(size_t count) const;

  // The kept text, at most `limit` bytes.
  std::string_view text() const;

  static constexpr size_t kMaxLineBytes = 500;

 private:
  size_t limit_;
  std::string buffer_;  // up to twice the limit, so that cutting is rare
};

// The lines of `text` without their ends, as views into it.
std::vector<std::string_view> SplitLines(std::string_view text);

// The line of a program's last output that says why it died: a failed assertion, an LLVM ERROR, an uncaught exception.
// Empty if there is no such line. A message right before a failed assertion or an unreachable is put first:
// "Unsupported element type. (UNREACHABLE executed at lib/Utils.cpp:49!)".
std::string CauseOfDeath(std::string_view log);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_LOG_TAIL_H_
