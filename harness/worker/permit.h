// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A permit to use the target. It limits how many target workers work at once, whatever the number of slots.
//
//   Permit permit(shared.permits);
//   permit.Acquire();   // waits until one is free
//   ...                 // compile, execute
//   permit.Release();   // the comparison that follows needs none
//
// With more slots than permits, the reference of one case works while the targets of others do, and no core is idle.
#ifndef OPBYOP_HARNESS_WORKER_PERMIT_H_
#define OPBYOP_HARNESS_WORKER_PERMIT_H_

#include <chrono>
#include <semaphore>

namespace opbyop::harness {

class Permit {
 public:
  // If `permits` is null there is no limit.
  explicit Permit(std::counting_semaphore<>* permits) : permits_(permits) {}
  ~Permit() { Release(); }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

  bool TryAcquire() {
    if (!held_) held_ = permits_ == nullptr || permits_->try_acquire();
    return held_;
  }

  void Acquire() {
    if (TryAcquire()) return;
    const auto begin = std::chrono::steady_clock::now();
    permits_->acquire();
    held_ = true;
    waited_ += std::chrono::steady_clock::now() - begin;
  }

  void Release() {
    if (held_ && permits_ != nullptr) permits_->release();
    held_ = false;
  }

  // Time spent in Acquire. It does not count as time of the case.
  double waited_ms() const { return std::chrono::duration<double, std::milli>(waited_).count(); }

 private:
  std::counting_semaphore<>* permits_;
  bool held_ = false;
  std::chrono::steady_clock::duration waited_{};
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_PERMIT_H_
