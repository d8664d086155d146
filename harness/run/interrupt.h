// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Handles Ctrl-C, kill and hang-up in a thread: prints the last words and exits with 128 + signal. Workers die with the
// process. A signal that this process was started to ignore (nohup) stays ignored.
//
//   const InterruptWatch watch([&] { return AbandonedText(run.Abandon(), "opbyop run out/nightly"); });
//   // Create it before other threads.
#ifndef OPBYOP_HARNESS_RUN_INTERRUPT_H_
#define OPBYOP_HARNESS_RUN_INTERRUPT_H_

#include <signal.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "support/expected.h"

namespace opbyop::harness {

// Shells report a program that was ended by a signal as 128 + signal (docs/exit-codes.md).
inline constexpr int kSignalBase = 128;

class InterruptWatch {
 public:
  // Called in the thread at each signal. Returns the last words, or nullopt if the program ends by itself and the watch
  // must wait for the next signal.
  using OnSignal = std::function<std::optional<std::string>(int signal)>;

  explicit InterruptWatch(OnSignal on_signal);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  sigset_t signals_;
  std::thread thread_;
};

// Returns the last words of a run that can be resumed: whether its results are `saved`, and the command to paste.
std::string AbandonedText(const Expected<void>& saved, const std::string& resume_command);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_INTERRUPT_H_
