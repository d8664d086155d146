// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a program that a stranger wrote in a child of this process, so that what its reader dies of, and the time and
// the memory that it would take, cost that program alone.
//
//   Expected<ReadingChild> child = ReadingChild::Start({}, [&] { return Split("bert.mlirbc"); });
//   Expected<Exit> end = child->Wait();   // error: "bert.mlirbc: reading it takes more than 12 s of ..."
//
// One child may read several programs in turn: both ends of its Talk send texts to each other.
//
// The child is forked and starts no other program: it has all that this process has loaded. Its limits hold while it
// reads, which is where a ReadingScope lives (ReadModule has one); what it does with the program afterwards has none.
#ifndef OPBYOP_SUPPORT_PROCESS_READING_CHILD_H_
#define OPBYOP_SUPPORT_PROCESS_READING_CHILD_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/expected.h"
#include "support/process/exit.h"

namespace opbyop {

// What reading one program may take. A number that is 0 follows from the size of the program's file.
struct ReadingLimits {
  int64_t seconds = 0;  // of processor time
  int64_t memory_mb = 0;

  // 10 s and 1 GiB for a small file; 2 s and 64 MB more for each megabyte.
  int64_t SecondsFor(int64_t file_bytes) const;
  int64_t MemoryMbFor(int64_t file_bytes) const;
};

// The options that raise them, as messages name them.
inline constexpr std::string_view kReadingSecondsOption = "--read-timeout";
inline constexpr std::string_view kReadingMemoryOption = "--read-memory";

// Part of a ReadingChild's life: the limits hold, and a death is the fault of `file`. Does nothing in a process that is
// no ReadingChild, and inside of another scope.
class ReadingScope {
 public:
  ReadingScope(std::string_view file, int64_t file_bytes);
  ~ReadingScope();
  ReadingScope(const ReadingScope&) = delete;
  ReadingScope& operator=(const ReadingScope&) = delete;

 private:
  bool is_outermost_ = false;
};

// One end of the connection between a ReadingChild and its parent.
class Talk {
 public:
  Talk() = default;
  explicit Talk(int fd) : fd_(fd) {}
  Talk(Talk&& other) noexcept { *this = std::move(other); }
  Talk& operator=(Talk&& other) noexcept;
  ~Talk();

  // Readable, for poll(2), when there is a text or the other end is gone.
  int fd() const { return fd_; }

  // Sends the first 4 kB of a text, which must not be empty. Nothing happens if the other end is gone: Receive says so.
  void Send(std::string_view text) const;

  // Waits for a text; nullopt where the other end is gone.
  std::optional<std::string> Receive() const;

 private:
  int fd_ = -1;
};

class ReadingChild {
 public:
  // Call it while this process has one thread. `work` returns the child's exit code; what it wrote to standard streams
  // is flushed. kInternal where the system has no room for a process.
  static Expected<ReadingChild> Start(const ReadingLimits& limits, const std::function<int()>& work);

  ReadingChild(ReadingChild&&) noexcept;
  ReadingChild& operator=(ReadingChild&&) noexcept;
  ~ReadingChild();  // kills it

  pid_t pid() const { return pid_; }

  const Talk& talk() const { return talk_; }

  // In the child: its own end.
  static const Talk& ToParent();

  // Waits for its end. An error names the file that it was reading when it died, and why: kBadInput.
  Expected<Exit> Wait();

 private:
  struct State;
  friend class ReadingScope;

  ReadingChild() = default;

  std::unique_ptr<State> state_;
  pid_t pid_ = -1;
  Talk talk_;
};

// Runs `work` in a ReadingChild and returns its exit code. Signals that others send to this process go on to the child,
// and a signal that ends the child ends this process too.
Expected<int> RunInReadingChild(const ReadingLimits& limits, const std::function<int()>& work);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_READING_CHILD_H_
