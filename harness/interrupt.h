// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ctrl-C, kill and hang-up, handled in a thread: cleans up, says how to go on, ends with 128 + signal. Workers die with
// the process. A signal that this process was started to ignore (nohup) stays ignored.
//
//   const InterruptWatch watch([&] { return run.Abandon(); }, "opbyop run out/nightly");   // before other threads
#ifndef OPBYOP_HARNESS_INTERRUPT_H_
#define OPBYOP_HARNESS_INTERRUPT_H_

#include <signal.h>

#include <functional>
#include <string>
#include <thread>

#include "support/expected.h"

namespace opbyop::harness {

class InterruptWatch {
 public:
  // An error of `clean_up` is printed; `resume_command` is, for the user to paste.
  InterruptWatch(std::function<Expected<void>()> clean_up, std::string resume_command);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  sigset_t signals_;
  std::thread thread_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INTERRUPT_H_
