// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the processes of a grid as threads, and is what their generated code calls (device/host/exchange.h).
//
//   ProcessThreads threads(8);
//   Expected<void> ran = threads.Run([&](int64_t process) { entry(buffers[process]); });
//   threads.spans();   // when each process ran and when it exchanged, if it was asked to record that
//
// A process waits in an exchange for the other members of its group. If one of them never comes, the run hangs and the
// harness ends it.
#ifndef OPBYOP_DEVICE_HOST_PROCESS_THREADS_H_
#define OPBYOP_DEVICE_HOST_PROCESS_THREADS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "protocol/span.h"
#include "support/expected.h"

namespace opbyop::host {

class ProcessThreads {
 public:
  // More threads than any grid of a test needs, and fewer than a machine refuses.
  static constexpr int64_t kMostProcesses = 256;

  // If `records`, Run leaves spans.
  explicit ProcessThreads(int64_t processes, bool records = false);
  ~ProcessThreads();

  // Calls `body` once for each process and returns when all calls have returned. An error if the system has no threads.
  Expected<void> Run(const std::function<void(int64_t process)>& body);

  // Returns those of the last Run: an `execute` of each process and a `collective` of each of its exchanges, with the
  // bytes that it got from others.
  std::vector<protocol::Span> spans() const;

  // The functions of generated code. They may only be called by `body`.
  static void Exchange(int64_t own, int64_t all, int64_t bytes, int64_t groups, int64_t rows, int64_t columns);
  static int64_t Process();

 private:
  struct Meeting;

  // The meeting of the members of a group, which serves all of their exchanges.
  Meeting& MeetingFor(const std::vector<int64_t>& members);

  int64_t processes_;
  bool records_;
  std::vector<std::vector<protocol::Span>> spans_;  // by process, each written by its own thread
  std::mutex mutex_;
  std::map<std::vector<int64_t>, std::unique_ptr<Meeting>> meetings_;
};

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_PROCESS_THREADS_H_
