// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ctrl-C, kill and hang-up, handled in a thread: says the last words and ends with 128 + signal. Workers die with the
// process. A signal that this process was started to ignore (nohup) stays ignored.
//
//   const InterruptWatch watch([&] { return AbandonedText(run.Abandon(), "opbyop run out/nightly"); });
//   // before other threads
#ifndef OPBYOP_HARNESS_RUN_INTERRUPT_H_
#define OPBYOP_HARNESS_RUN_INTERRUPT_H_

#include <signal.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "support/expected.h"

namespace opbyop::harness {

// As a shell says that a signal ended a program (docs/exit-codes.md).
inline constexpr int kSignalBase = 128;

class InterruptWatch {
 public:
  // Called in the thread, at each signal: the last words, or nullopt where the program ends by itself and the next
  // signal is waited for.
  using OnSignal = std::function<std::optional<std::string>(int signal)>;

  explicit InterruptWatch(OnSignal on_signal);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  sigset_t signals_;
  std::thread thread_;
};

// The last words of a run that can be resumed: whether its results are `saved`, and the command to paste.
std::string AbandonedText(const Expected<void>& saved, const std::string& resume_command);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_INTERRUPT_H_
