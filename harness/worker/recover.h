// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recovers a device after a worker died on it: runs the target's `recover` command, then its `health` command.
//
//   if (Expected<void> back = RecoverDevice(target.device); !back) ... the device stays down
#ifndef OPBYOP_HARNESS_WORKER_RECOVER_H_
#define OPBYOP_HARNESS_WORKER_RECOVER_H_

#include <mutex>
#include <optional>
#include <shared_mutex>

#include "harness/worker/device_gate.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

// Does nothing if the target names neither command. Tries a few times and returns the last error.
Expected<void> RecoverDevice(const Device& device);

// The state of the device that all slots of a run share. Once it is lost it is not used again. Thread-safe.
class DeviceState {
 public:
  // Says why the device is lost; nullopt while it is not.
  std::optional<Error> lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
  }

  void MarkLost(Error why) {
    const std::lock_guard lock(mutex_);
    if (!lost_) lost_ = std::move(why);
  }

  // No case runs while the device is being recovered (DeviceHold), so all slots know of a loss before their next case.
  DeviceGate& gate() { return gate_; }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> lost_;
  DeviceGate gate_;
};

// Held while a case is on the device. Excludes recovery, and other cases if the device is not parallel. Without a state
// it excludes nothing.
class DeviceHold {
 public:
  DeviceHold(const Device& device, DeviceState* state) {
    if (state == nullptr) return;
    if (device.parallel) {
      among_others_ = std::shared_lock(state->gate());
    } else {
      alone_ = std::unique_lock(state->gate());
    }
  }

 private:
  std::shared_lock<DeviceGate> among_others_;
  std::unique_lock<DeviceGate> alone_;
};

// Asks the target's `health` command once, before anything runs, and says why the device is absent. Empty if it is
// present, or if the worker reports that itself. Nothing is recovered: a board that is absent, or that belongs to
// another user, must not be reset.
std::string WhyAbsent(const Target& target);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_RECOVER_H_
