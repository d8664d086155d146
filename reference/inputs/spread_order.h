// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sequence through 0 to n - 1 that visits every number once before it repeats one. The first numbers are already
// spread over the whole range.
//
//   SpreadOrder walk(n, seed);
//   walk.Next(), walk.Next(), ...   // n different numbers, then the same again
#ifndef OPBYOP_REFERENCE_INPUTS_SPREAD_ORDER_H_
#define OPBYOP_REFERENCE_INPUTS_SPREAD_ORDER_H_

#include <cstdint>
#include <numeric>

#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {

class SpreadOrder {
 public:
  SpreadOrder(uint64_t n, uint64_t seed) : n_(n) {
    if (n == 0) return;
    at_ = CounterStream(seed).Below(0, n);
    // Steps of the golden ratio leave gaps of at most three lengths, however many steps are taken.
    step_ = static_cast<uint64_t>(static_cast<double>(n) * 0.6180339887498949);
    while (std::gcd(step_, n) != 1) ++step_;
  }
  uint64_t Next() {
    const uint64_t at = at_;
    at_ = at_ >= n_ - step_ ? at_ - (n_ - step_) : at_ + step_;
    return at;
  }

 private:
  uint64_t n_;
  uint64_t at_ = 0;
  uint64_t step_ = 1;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_SPREAD_ORDER_H_
