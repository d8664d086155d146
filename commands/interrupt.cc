// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/interrupt.h"

#include <signal.h>

#include <atomic>

namespace opbyop::commands {
namespace {

std::atomic<int> interrupted_by = 0;

}  // namespace

void EndAtFirstInterrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { interrupted_by = signal; };
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

int InterruptedBy() { return interrupted_by; }

}  // namespace opbyop::commands
