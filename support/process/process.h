// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A child program in a process group of its own, with pipes; when it goes, all that it started goes.
//
//   Expected<std::unique_ptr<Process>> child = Process::Spawn({.argv = {"opbyop-worker", "--reference"}});
//   ::write((*child)->request_fd(), request.data(), request.size());
//   ... poll reply_fd() and log_fd() ...
//   (*child)->Kill(std::chrono::milliseconds(100));
//
// stdin is the request pipe, descriptor 3 the reply pipe, stdout and stderr together the log, of which the end is kept.
// The child dies with the thread that spawned it. Not thread-safe.
//
// With `supervision` the program runs below opbyop-supervisor, which ends it and all that descends from it, daemons
// included, as soon as this process has gone, by SIGKILL too (docs/design/isolation.md). pid() is the supervisor's,
// which ends as the program does.
#ifndef OPBYOP_SUPPORT_PROCESS_PROCESS_H_
#define OPBYOP_SUPPORT_PROCESS_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/expected.h"
#include "support/process/exit.h"
#include "support/process/log_tail.h"

namespace opbyop {

// The child's end of the reply pipe.
inline constexpr int kReplyFd = 3;

// What a supervisor is to see to.
struct Supervision {
  std::vector<std::filesystem::path> writable;  // where alone it may write; empty: it may write anywhere
  bool network = false;                         // may use it; without `writable` it may anyway
  int hold_fd = -1;                             // kept open while any of its processes lives
};

struct ProcessOptions {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH
  std::map<std::string, std::string> environment;  // added to this process's own
  std::filesystem::path directory;                 // working directory; empty: this process's
  size_t log_bytes = 64 << 10;
  int64_t max_file_bytes = 0;  // of every file that it writes; 0: no limit. Past it: SIGXFSZ
  std::optional<Supervision> supervision;
  bool outlives_parent = false;  // does not die with this thread
};

class Process {
 public:
  // kNoInput where the program does not exist or cannot be executed.
  static Expected<std::unique_ptr<Process>> Spawn(const ProcessOptions& options);

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills without grace

  pid_t pid() const { return pid_; }
  int request_fd() const { return request_fd_; }  // non-blocking
  int reply_fd() const { return reply_fd_; }      // non-blocking
  int log_fd() const { return log_fd_; }          // non-blocking; -1 once it ended

  void CloseRequests();

  // Takes what the log pipe holds, at most about a megabyte a call.
  void DrainLog();
  LogTail& log() { return log_; }
  const LogTail& log() const { return log_; }

  // How it ended; nullopt while it runs. Does not block.
  std::optional<Exit> Poll();

  // Waits at most `limit` for it to end by itself.
  std::optional<Exit> WaitFor(std::chrono::milliseconds limit);

  // SIGTERM to the group, `grace` to comply, SIGKILL to whatever is left of the group. Returns how it ended;
  // pid() is -1 from then on.
  Exit Kill(std::chrono::milliseconds grace);

  // Resident memory of the program and all that descends from it.
  int64_t RssKb() const;

  // The same, with the files below `folder` that lie in memory and that none of the processes has mapped. What is more
  // than `limit_kb` is looked at again, with pages that several processes share counted once.
  int64_t MemoryKb(const std::filesystem::path& folder, int64_t limit_kb) const;

 private:
  explicit Process(size_t log_bytes) : log_(log_bytes) {}

  bool supervised() const { return lifeline_fd_ >= 0; }
  std::vector<pid_t> Members() const;

  pid_t pid_ = -1;
  int request_fd_ = -1;
  int reply_fd_ = -1;
  int log_fd_ = -1;
  int lifeline_fd_ = -1;  // its end is the supervisor's word to end all
  std::optional<Exit> exit_;
  LogTail log_;
};

// From here on processes orphaned by a child of this one become its own children, and KillOrphans ends them:
// a grandchild that left its process group cannot stay either. For programs whose only children are Processes.
void AdoptOrphans();
void KillOrphans();

// Where opbyop-supervisor lies.
std::string SupervisorProgram();

// Runs a short command, supervised, to its end; its output (both streams, the last 64 KiB). An error where it cannot be
// started, fails or exceeds `limit`.
Expected<std::string> RunCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_PROCESS_H_
