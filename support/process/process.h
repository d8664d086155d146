// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A child program in a process group of its own, with pipes. When it ends, all that it started is ended too.
//
//   Expected<std::unique_ptr<Process>> child = Process::Spawn({.argv = {"opbyop-worker", "--reference"}});
//   ::write((*child)->request_fd(), request.data(), request.size());
//   ... poll reply_fd() and log_fd() ...
//   (*child)->Kill(std::chrono::milliseconds(100));
//
// stdin is the request pipe and descriptor 3 the reply pipe. stdout and stderr together are the log, whose end is kept.
// The child dies with the thread that started it. Not thread-safe.
//
// With `supervision`, the program runs below opbyop-supervisor. The supervisor ends it and all its descendants,
// including daemons, as soon as this process has exited, even by SIGKILL (docs/design/isolation.md). pid() is that of
// the supervisor, which ends in the same way as the program.
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
#include "support/process/process_tree.h"

namespace opbyop {

// The child's end of the reply pipe.
inline constexpr int kReplyFd = 3;

// The restrictions that a supervisor enforces.
struct Supervision {
  std::vector<std::filesystem::path> writable;  // the only folders that it may write to; empty: no restriction
  bool network = false;                         // it may use the network; without `writable` it always may
  int hold_fd = -1;                             // a descriptor that stays open while any of its processes lives
};

struct ProcessOptions {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH
  std::map<std::string, std::string> environment;  // added to this process's own
  std::filesystem::path directory;                 // working directory; empty: this process's
  size_t log_bytes = 64 << 10;
  int64_t max_file_bytes = 0;  // limit for every file that it writes; 0: no limit. Beyond it: SIGXFSZ
  std::optional<Supervision> supervision;
  bool outlives_parent = false;  // it does not die with this thread
};

class Process {
 public:
  // Returns kNoInput if the program does not exist or cannot be executed.
  static Expected<std::unique_ptr<Process>> Spawn(const ProcessOptions& options);

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills without a grace period

  pid_t pid() const { return pid_; }
  int request_fd() const { return request_fd_; }  // non-blocking
  int reply_fd() const { return reply_fd_; }      // non-blocking
  int log_fd() const { return log_fd_; }          // non-blocking; -1 after its end

  void CloseRequests();

  // Reads what is in the log pipe, at most about a megabyte per call.
  void DrainLog();
  LogTail& log() { return log_; }
  const LogTail& log() const { return log_; }

  // Returns how it ended, or nullopt while it runs. Does not block.
  std::optional<Exit> Poll();

  // Waits at most `limit` for it to end by itself.
  std::optional<Exit> WaitFor(std::chrono::milliseconds limit);

  // Sends SIGTERM to the group, waits up to `grace`, then sends SIGKILL to the rest of the group. Returns how the
  // program ended; afterwards pid() is -1.
  Exit Kill(std::chrono::milliseconds grace);

  // The processor time that the program and all its descendants that still run have used, in milliseconds.
  double CpuMs() const;

  // Resident memory of the program and all its descendants.
  int64_t RssKb() const;

  // The same, plus the files below `folder` that are in memory and that none of the processes has mapped. A result
  // above `limit_kb` is measured again, with pages that several processes share counted once.
  int64_t MemoryKb(const std::filesystem::path& folder, int64_t limit_kb) const;

 private:
  explicit Process(size_t log_bytes) : log_(log_bytes) {}

  bool supervised() const { return lifeline_fd_ >= 0; }
  std::vector<pid_t> Members() const;

  pid_t pid_ = -1;
  int request_fd_ = -1;
  int reply_fd_ = -1;
  int log_fd_ = -1;
  int lifeline_fd_ = -1;  // closing it tells the supervisor to end everything
  std::optional<Exit> exit_;
  mutable Descendants descendants_;
  LogTail log_;
};

// From now on, processes that a child of this one orphans become children of this process, and KillOrphans ends them:
// even a grandchild that left its process group cannot stay. For programs whose only children are Processes.
void AdoptOrphans();
void KillOrphans();

// The path of opbyop-supervisor.
std::string SupervisorProgram();

// Runs a short command to its end under supervision. Returns its output (both streams, the last 64 KiB), or an error if
// it cannot be started, fails or exceeds `limit`.
Expected<std::string> RunCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_PROCESS_H_
