// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which cases have the further draw in a run: one more draw of `edge` from the run's fresh seed
// (harness/run/fresh_seed.h).
//
//   const RunPolicy* policy = FreshPolicy(policies);
//   if (policy != nullptr && IsFreshInTurn(c.id, fresh_seed, kLargePerFresh)) ...
#ifndef OPBYOP_HARNESS_INPUTS_FRESH_DRAW_H_
#define OPBYOP_HARNESS_INPUTS_FRESH_DRAW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/inputs/input_set.h"

namespace opbyop::harness {

// Returns the policy that is drawn once more; null if the run does not have it. Its name is that of the set.
const RunPolicy* FreshPolicy(const std::vector<RunPolicy>& policies);

// One in so many of the cases that the cache has a result of is run all the same, others with another seed. Otherwise a
// cache in which nothing changes would keep every night from seeing new inputs.
inline constexpr uint64_t kCachedPerFresh = 32;
bool IsFreshInTurn(const std::string& case_id, uint64_t fresh_seed, uint64_t one_in);

// A case of this many elements takes long to run. It has the further draw under one seed in kLargePerFresh.
inline constexpr int64_t kFreshElements = int64_t{1} << 16;
inline constexpr uint64_t kLargePerFresh = 4;

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_FRESH_DRAW_H_
