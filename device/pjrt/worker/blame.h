// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names the operation to blame if a plugin dies in it, such as destroying what an earlier case left while the next case
// waits.
//
//   {
//     const Blame blame("destroying the executable of add_4_f32_e287bc52");
//     last_.reset();
//   }
//
// If the process gets a fatal signal or exits in the meantime, it prints on standard error "fatal error: the plugin
// died of destroying ...", which the harness quotes, and then dies as before. Must not be used by several threads.
#ifndef OPBYOP_DEVICE_PJRT_WORKER_BLAME_H_
#define OPBYOP_DEVICE_PJRT_WORKER_BLAME_H_

#include <array>
#include <csignal>
#include <string_view>

namespace opbyop::pjrt {

class Blame {
 public:
  explicit Blame(std::string_view doing);
  ~Blame();
  Blame(const Blame&) = delete;
  Blame& operator=(const Blame&) = delete;

  static constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

 private:
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_BLAME_H_
