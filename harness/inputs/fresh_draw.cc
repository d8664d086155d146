// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/fresh_draw.h"

#include <algorithm>

#include "harness/inputs/input_seed.h"

namespace opbyop::harness {

const RunPolicy* FreshPolicy(const std::vector<RunPolicy>& policies) {
  const auto edge = std::ranges::find(policies, InputKind::kEdge, &RunPolicy::inputs);
  return edge == policies.end() ? nullptr : &*edge;
}

bool IsFreshInTurn(const std::string& case_id, uint64_t fresh_seed, uint64_t one_in) {
  return InputSeed(case_id, fresh_seed) % one_in == 0;
}

}  // namespace opbyop::harness
