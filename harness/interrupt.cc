// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/interrupt.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace opbyop::harness {
namespace {

// Wakes the watch at the end of a run that was not interrupted.
constexpr int kDone = SIGUSR2;

// As a shell says that a signal ended a program (docs/exit-codes.md).
constexpr int kSignalBase = 128;

bool IsIgnored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

InterruptWatch::InterruptWatch(std::function<Expected<void>()> clean_up, std::string resume_command) {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, kDone);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) ::sigaddset(&signals_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this, clean_up = std::move(clean_up), resume_command = std::move(resume_command)] {
    int signal = 0;
    ::sigwait(&signals_, &signal);
    if (signal == kDone) return;
    const Expected<void> done = clean_up();
    std::fprintf(stderr, "\ninterrupted: %s; this goes on:\n  %s\n",
                 done ? "every result so far is on the disk" : done.error().message.c_str(), resume_command.c_str());
    ::_exit(kSignalBase + signal);
  });
}

InterruptWatch::~InterruptWatch() {
  ::pthread_kill(thread_.native_handle(), kDone);
  thread_.join();
}

}  // namespace opbyop::harness
