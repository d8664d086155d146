// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which waiting case may start, so that those that run fit in memory together.
//
//   MemoryShare share(MachineMemory());
//   auto next = share.FirstThatFits(queue);        // end(queue) if none fits now
//   share.Take(**next);                            // and Return() when the case has ended
#ifndef OPBYOP_HARNESS_RUN_MEMORY_SHARE_H_
#define OPBYOP_HARNESS_RUN_MEMORY_SHARE_H_

#include <algorithm>
#include <cstdint>
#include <deque>

#include "manifests/cases/case.h"
#include "support/saturated.h"

namespace opbyop::harness {

// The memory that a case takes while it runs: its files, which may be in memory, what the reference holds of them, and
// what several devices of this machine hold of whole tensors.
inline int64_t MemoryOf(const Case& c) {
  return AddCapped(MulCapped(c.total_bytes(), 2), c.sharding ? c.device_bytes() : 0);
}

class MemoryShare {
 public:
  // `bytes` for all cases together; 0: no limit.
  explicit MemoryShare(int64_t bytes) : bytes_(bytes) {}

  // A case that needs more than there is runs alone.
  bool Fits(const Case& c) const { return bytes_ <= 0 || taken_ == 0 || MemoryOf(c) <= bytes_ - taken_; }

  // Later cases may go before one that has to wait.
  std::deque<const Case*>::iterator FirstThatFits(std::deque<const Case*>& queue) const {
    return std::ranges::find_if(queue, [&](const Case* c) { return Fits(*c); });
  }

  void Take(const Case& c) { taken_ = AddCapped(taken_, MemoryOf(c)); }
  void Return(const Case& c) { taken_ = std::max<int64_t>(taken_ - MemoryOf(c), 0); }

 private:
  int64_t bytes_;
  int64_t taken_ = 0;  // by cases that run
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_MEMORY_SHARE_H_
