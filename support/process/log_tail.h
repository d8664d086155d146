// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last bytes of an endless text, in bounded memory: what a worker printed before it died.
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

  // At most the last `count` lines, as text that is safe to print, each cut to about kMaxLineBytes. Of a stack dump the
  // first frames stand for all: what was printed before it is worth more.
  std::vector<std::string> Lines(size_t count) const;

  // What has been kept, at most `limit` bytes.
  std::string_view text() const;

  static constexpr size_t kMaxLineBytes = 500;

 private:
  size_t limit_;
  std::string buffer_;  // up to twice the limit, so that cutting is rare
};

// The lines of `text`, without their ends; views into it.
std::vector<std::string_view> SplitLines(std::string_view text);

// The line that says why a program died, out of its last output: a failed assertion, an LLVM ERROR, an
// uncaught exception. Empty where no line looks like one. A message right before a failed assertion or an unreachable
// comes first: "Unsupported element type. (UNREACHABLE executed at lib/Utils.cpp:49!)".
std::string CauseOfDeath(std::string_view log);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_LOG_TAIL_H_
