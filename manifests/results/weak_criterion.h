// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The criterion for outputs whose bound has been propagated through so many ops that it is too wide to judge
// (docs/numerics.md): outputs of whole models, and errors that add up over the ops of a chained run.
//
//   WeakCriterionOf(24).share     // 1e-3: programs that compute in f32
//   WeakCriterionOf("bf16")       // nullopt for a type that is no float of at least 16 bits
#ifndef OPBYOP_MANIFESTS_RESULTS_WEAK_CRITERION_H_
#define OPBYOP_MANIFESTS_RESULTS_WEAK_CRITERION_H_

#include <optional>
#include <string_view>

namespace opbyop {

struct WeakCriterion {
  double share = 1e-3;    // largest error, as a share of the size of the values
  double unequal = 0.01;  // share of the elements of integers and booleans that may differ
};

// Returns the criterion for the narrowest significand in the computation, given its bits with the hidden one.
WeakCriterion WeakCriterionOf(int precision);

// Returns the criterion for a dtype: f64, f32, f16 or bf16.
std::optional<WeakCriterion> WeakCriterionOf(std::string_view dtype);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_WEAK_CRITERION_H_
