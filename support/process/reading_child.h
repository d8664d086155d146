// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads an untrusted program in a child of this process. A crash of the reader, or too much time or memory, then costs
// that program alone.
//
//   Expected<ReadingChild> child = ReadingChild::Start({}, [&] { return Split("bert.mlirbc"); });
//   Expected<Exit> end = child->Wait();   // error: "bert.mlirbc: reading it takes more than 12 s of ..."
//
// One child may read several programs in turn: the two ends of its ChildConnection send texts to each other.
//
// The child is forked and starts no other program: it has everything that this process has loaded. Its limits apply
// while it reads, during the life of a ReadingScope (ReadModule has one); its later work on the program has no limit.
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

// The limits for reading one program. A number that is 0 is derived from the size of the program's file.
struct ReadingLimits {
  int64_t seconds = 0;  // processor time
  int64_t memory_mb = 0;

  // 10 s and 1 GiB for a small file; 2 s and 64 MB more for each megabyte.
  int64_t SecondsFor(int64_t file_bytes) const;
  int64_t MemoryMbFor(int64_t file_bytes) const;
};

// The options that raise the limits, as messages name them.
inline constexpr std::string_view kReadingSecondsOption = "--read-timeout";
inline constexpr std::string_view kReadingMemoryOption = "--read-memory";

// A part of a ReadingChild's life in which the limits apply and a crash is blamed on `file`. Does nothing in a process
// that is no ReadingChild, and inside another scope.
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
class ChildConnection {
 public:
  ChildConnection() = default;
  explicit ChildConnection(int fd) : fd_(fd) {}
  ChildConnection(ChildConnection&& other) noexcept { *this = std::move(other); }
  ChildConnection& operator=(ChildConnection&& other) noexcept;
  ~ChildConnection();

  // Readable, for poll(2), when there is a text or the other end has closed.
  int fd() const { return fd_; }

  // Sends the first 4 kB of a text, which must not be empty. Does nothing if the other end has closed; Receive reports
  // that.
  void Send(std::string_view text) const;

  // Waits for a text. Returns nullopt if the other end has closed.
  std::optional<std::string> Receive() const;

 private:
  int fd_ = -1;
};

class ReadingChild {
 public:
  // Must be called while this process has a single thread. `work` returns the child's exit code; its standard output is
  // flushed. Returns kInternal if the system cannot start a process.
  static Expected<ReadingChild> Start(const ReadingLimits& limits, const std::function<int()>& work);

  ReadingChild(ReadingChild&&) noexcept;
  ReadingChild& operator=(ReadingChild&&) noexcept;
  ~ReadingChild();  // kills it

  pid_t pid() const { return pid_; }

  const ChildConnection& connection() const { return connection_; }

  // In the child: its end of the connection.
  static const ChildConnection& ToParent();

  // Waits for the child to end. If it died while it was reading, returns kBadInput with the file and the reason.
  Expected<Exit> Wait();

 private:
  struct State;
  friend class ReadingScope;

  ReadingChild() = default;

  std::unique_ptr<State> state_;
  pid_t pid_ = -1;
  ChildConnection connection_;
};

// Runs `work` in a ReadingChild and returns its exit code. Signals that other processes send to this one are passed to
// the child, and a signal that kills the child also kills this process.
Expected<int> RunInReadingChild(const ReadingLimits& limits, const std::function<int()>& work);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_READING_CHILD_H_
