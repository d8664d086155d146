// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/input_seed.h"

#include "support/fnv.h"

namespace opbyop::harness {

uint64_t InputSeed(std::string_view case_id, uint64_t run_seed) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;  // spreads seeds that differ in few bits
  const uint64_t hash = Fnv1a(case_id, kFnvBasis ^ (run_seed * kGoldenRatio));
  return (hash ^ (hash >> 29)) & ((1ull << 53) - 1);
}

}  // namespace opbyop::harness
