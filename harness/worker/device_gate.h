// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A lock that lets any number of cases use the device, or one thread recover it. A thread that waits to recover the
// device goes before all cases that arrive later.
//
//   DeviceGate gate;
//   std::shared_lock on_device(gate);    // a case
//   std::unique_lock alone(gate);        // recovery
#ifndef OPBYOP_HARNESS_WORKER_DEVICE_GATE_H_
#define OPBYOP_HARNESS_WORKER_DEVICE_GATE_H_

#include <condition_variable>
#include <mutex>

namespace opbyop::harness {

// Has the member functions that std::shared_lock and std::unique_lock need.
class DeviceGate {
 public:
  void lock_shared() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !closed_; });
    ++inside_;
  }

  void unlock_shared() {
    const std::lock_guard lock(mutex_);
    --inside_;
    changed_.notify_all();
  }

  void lock() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !closed_; });
    closed_ = true;
    changed_.wait(lock, [&] { return inside_ == 0; });
  }

  void unlock() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool closed_ = false;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_DEVICE_GATE_H_
