// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Brings a device back after a worker died on it: the target's `recover` command, then its `health` command.
//
//   if (Expected<void> back = RecoverDevice(target.device); !back) ... the device stays down
#ifndef OPBYOP_HARNESS_WORKER_RECOVER_H_
#define OPBYOP_HARNESS_WORKER_RECOVER_H_

#include <mutex>
#include <optional>

#include "harness/worker/device_gate.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

// Does nothing where the target names neither command. A few attempts; the error is that of the last.
Expected<void> RecoverDevice(const Device& device);

// What the slots of a run know of the device that they share: once lost it is not used again. Thread-safe.
class DeviceState {
 public:
  // Why it is lost; nullopt while it is there.
  std::optional<Error> lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
  }

  void Lose(Error why) {
    const std::lock_guard lock(mutex_);
    if (!lost_) lost_ = std::move(why);
  }

  // Nothing is run while it is being brought back: that it is lost is known to all before the next case.
  DeviceGate& gate() { return gate_; }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> lost_;
  DeviceGate gate_;
};

// Why the device is not there, by its `health`, asked once before anything runs; empty where it is, or where the worker
// says it. Nothing is recovered: a board that is absent, or another's, is not to be reset.
std::string WhyAbsent(const Device& device);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_RECOVER_H_
