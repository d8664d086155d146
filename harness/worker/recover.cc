// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/recover.h"

#include <chrono>
#include <string>

#include "support/process/process.h"

namespace opbyop::harness {

Expected<void> RecoverDevice(const Device& device) {
  if (device.recover.empty() && device.health.empty()) return {};
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(device.recover_timeout_s * 1000));
  Expected<std::string> done;
  constexpr int kAttempts = 3;  // a board may need a second reset, but hardly a fourth
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    done = device.recover.empty() ? Expected<std::string>() : RunCommand(device.recover, limit);
    if (done && !device.health.empty()) done = RunCommand(device.health, limit);
    if (done) return {};
  }
  return Unexpected(done.error());
}

std::string WhyAbsent(const Target& target) {
  if (std::string declared = WhyCompileOnly(target); !declared.empty()) return declared;
  const Device& device = target.device;
  // A worker that is not a set of command line tools reports an absent device in its hello.
  if (device.kind != "command" || device.health.empty()) return "";
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(device.recover_timeout_s * 1000));
  const Expected<std::string> done = RunCommand(device.health, limit);
  return done ? "" : "the device is not there: " + done.error().message;
}

}  // namespace opbyop::harness
