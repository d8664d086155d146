// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generates the arguments of an elementwise function together, so that each element has another combination of values.
//
//   std::vector<JointArgument> arguments = {{ElementType::kF32, &role, &inputs[0]}, ...};
//   CombineElements(InputKind::kEdge, "stablehlo.power", seed, arguments);
//
// `edge` goes through all combinations of the arguments' special values. `sweep` goes through all combinations of
// binades, or of values if a type has few: for a function of one 16-bit number or of two 8-bit numbers, a tensor of
// 65,536 elements has every bit pattern. Each seed starts at another combination, so that several seeds together cover
// the combinations for which one tensor has no room.
#ifndef OPBYOP_REFERENCE_INPUTS_ELEMENTWISE_INPUTS_H_
#define OPBYOP_REFERENCE_INPUTS_ELEMENTWISE_INPUTS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "manifests/policies/policy.h"
#include "reference/inputs/input_role.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {

struct JointArgument {
  const InputRole* role;
  InputData* data;       // drawn as for `domain`; the values of `kind` are written over it
  int64_t together = 1;  // number of neighbours that make one element of the result
  bool one_nan = false;  // the function distinguishes codes for NaN, of which the reference keeps only one
};

// All arguments must have the same number of elements, or of groups of `together`. `kind` is kEdge or kSweep.
void CombineElements(InputKind kind, std::string_view function, uint64_t seed,
                     std::span<const JointArgument> arguments);

// Fills the only argument of a function with the bit patterns `first`, `first` + 1, ..., one per element. Its type must
// not be complex. A bit pattern for which the specification leaves the result open, or that the reference does not
// keep, is replaced by another. Returns the number of those replaced.
int64_t CountUp(std::string_view function, uint64_t first, const JointArgument& argument);

// Returns the values of a type at which functions and devices often behave specially, as stored codes, each once.
std::vector<uint64_t> SpecialCodes(ElementType type);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_ELEMENTWISE_INPUTS_H_
