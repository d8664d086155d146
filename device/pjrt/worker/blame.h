// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Says whose fault it is where a plugin dies of what is left of an earlier case, while the next one waits.
//
//   {
//     const Blame blame("destroying the executable of add_4_f32_e287bc52");
//     last_.reset();
//   }
//
// On a signal or an exit meanwhile, the process says on standard error "fatal error: the plugin died of destroying
// ...", which the harness quotes, and goes on dying. Not for use by several threads.
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
