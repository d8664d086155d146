// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/blame.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace opbyop::pjrt {
namespace {

// Null if nothing is to blame. A signal handler may only read the string.
const std::string* g_text = nullptr;

void PrintBlame() {
  if (g_text == nullptr) return;
  const ssize_t written = ::write(STDERR_FILENO, g_text->data(), g_text->size());
  (void)written;
  g_text = nullptr;
}

void OnSignal(int signal) {
  PrintBlame();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::string& Text() {
  static auto* text = new std::string();  // handlers read it until the process ends
  return *text;
}

}  // namespace

Blame::Blame(std::string_view doing) {
  static const int kRegistered = std::atexit(&PrintBlame);
  (void)kRegistered;
  Text() = fmt::format("fatal error: the plugin died of {}\n", doing);
  g_text = &Text();
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

Blame::~Blame() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  g_text = nullptr;
}

}  // namespace opbyop::pjrt
