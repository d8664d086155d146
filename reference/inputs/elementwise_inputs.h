// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arguments of an elementwise function, one combination of values per element.
//
//   std::vector<JointArgument> arguments = {{ElementType::kF32, &role, &inputs[0]}, ...};
//   CombineElements(InputKind::kEdge, "stablehlo.power", seed, arguments);
//
// `edge` goes through the product of the special values of all arguments, `sweep` through that of all binades, or all
// values where a type has few: of a function of one 16-bit number, or of two 8-bit ones, a tensor of 65,536 elements
// has every bit pattern. A seed begins at a place of its own, so that others see what a tensor has no room for.
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
  InputData* data;       // drawn as `domain`; what `kind` has instead is written over it
  int64_t together = 1;  // so many neighbors make one element of the result
  bool one_nan = false;  // the function tells codes for NaN apart, of which the reference keeps one
};

// All arguments have equally many elements, or groups of `together`. `kind` is kEdge or kSweep.
void CombineElements(InputKind kind, std::string_view function, uint64_t seed,
                     std::span<const JointArgument> arguments);

// The numbers of the bit patterns `first`, `first` + 1, ... of a function's only argument, of a type without parts, one
// per element. For one that the specification leaves open, or that the reference does not keep, another stands. Returns
// how many do.
int64_t CountUp(std::string_view function, uint64_t first, const JointArgument& argument);

// The values of a type at which functions and devices go their own ways, as stored codes, each once.
std::vector<uint64_t> SpecialCodes(ElementType type);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_ELEMENTWISE_INPUTS_H_
