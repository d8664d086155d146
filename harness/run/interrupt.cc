// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/interrupt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace opbyop::harness {
namespace {

// Wakes the watch at the end of a run that was not interrupted.
constexpr int kDone = SIGUSR2;

bool IsIgnored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

InterruptWatch::InterruptWatch(OnSignal on_signal) {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, kDone);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) ::sigaddset(&signals_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this, on_signal = std::move(on_signal)] {
    while (true) {
      int signal = 0;
      ::sigwait(&signals_, &signal);
      if (signal == kDone) return;
      const std::optional<std::string> last_words = on_signal(signal);
      if (!last_words) continue;
      std::fprintf(stderr, "\n%s\n", last_words->c_str());
      ::_exit(kSignalBase + signal);
    }
  });
}

InterruptWatch::~InterruptWatch() {
  ::pthread_kill(thread_.native_handle(), kDone);
  thread_.join();
}

std::string AbandonedText(const Expected<void>& saved, const std::string& resume_command) {
  return fmt::format("interrupted: {}; this command resumes the run:\n  {}",
                     saved ? "every result so far is on the disk" : saved.error().message, resume_command);
}

}  // namespace opbyop::harness
