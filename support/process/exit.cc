// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/exit.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace opbyop {

std::string Exit::Describe() const {
  if (signal == 0) return fmt::format("exit code {}", code);
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  return fmt::format("SIG{} ({})", name == nullptr ? std::to_string(signal) : name,
                     description == nullptr ? "unknown signal" : description);
}

Exit ExitOf(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.signal = WTERMSIG(wait_status)};
  return {.code = WEXITSTATUS(wait_status)};
}

}  // namespace opbyop
