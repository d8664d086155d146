// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random numbers by counter: the i-th number of a stream depends on the seed and on i only. Inputs are therefore the
// same in whatever order they are generated.
//
//   const CounterStream stream(seed);
//   double x = stream.Unit(7);   // in [0, 1)
#ifndef OPBYOP_REFERENCE_TENSOR_COUNTER_STREAM_H_
#define OPBYOP_REFERENCE_TENSOR_COUNTER_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace opbyop::reference {

// SplitMix64 (Steele, Lea, Flood 2014): maps a counter to 64 well-mixed bits.
inline uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

class CounterStream {
 public:
  explicit CounterStream(uint64_t seed) : seed_(Mix(seed)) {}
  uint64_t Bits(uint64_t i) const { return Mix(seed_ + i * 0xD1342543DE82EF95); }
  // Returns a number in [0, 1) with 53 random bits.
  double Unit(uint64_t i) const { return static_cast<double>(Bits(i) >> 11) * 0x1p-53; }
  // Returns a number in [0, n).
  uint64_t Below(uint64_t i, uint64_t n) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Bits(i)) * n) >> 64);
  }
  // Returns 0 to n - 1 in random order.
  std::vector<int64_t> Permutation(int64_t n) const {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), int64_t{0});
    for (int64_t i = n - 1; i > 0; --i) {
      const auto u = static_cast<uint64_t>(i);
      std::swap(order[static_cast<size_t>(i)], order[Below(u, u + 1)]);
    }
    return order;
  }

 private:
  uint64_t seed_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_COUNTER_STREAM_H_
