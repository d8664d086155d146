#include "harness/interrupt.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace opbyop {
namespace {

// Wakes the watch at the end of a run that was not interrupted.
constexpr int kDone = SIGUSR2;

}  // namespace

InterruptWatch::InterruptWatch(std::function<void()> clean_up) {
  ::sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, kDone}) ::sigaddset(&signals_, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this, clean_up = std::move(clean_up)] {
    int signal = 0;
    ::sigwait(&signals_, &signal);
    if (signal == kDone) return;
    std::fprintf(stderr, "\ninterrupted: every result so far is written; the same command with --resume goes on\n");
    clean_up();
    ::_exit(128 + signal);
  });
}

InterruptWatch::~InterruptWatch() {
  ::pthread_kill(thread_.native_handle(), kDone);
  thread_.join();
}

}  // namespace opbyop
