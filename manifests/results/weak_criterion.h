// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an output must satisfy besides its bound, where that has come through so many ops that it says nothing any more
// (docs/numerics.md): outputs of whole models, and errors that add up over the ops of a chained run.
//
//   WeakCriterionOf(24).share     // 1e-3: programs that compute in f32
//   WeakCriterionOf("bf16")       // nullopt for what is no float of at least 16 bits
#ifndef OPBYOP_MANIFESTS_RESULTS_WEAK_CRITERION_H_
#define OPBYOP_MANIFESTS_RESULTS_WEAK_CRITERION_H_

#include <optional>
#include <string_view>

namespace opbyop {

struct WeakCriterion {
  double share = 1e-3;    // of the size of the values: the largest error
  double unequal = 0.01;  // of the elements of integers and booleans that may differ
};

// By the bits of the narrowest significand that is computed with, the hidden one included.
WeakCriterion WeakCriterionOf(int precision);

// The criterion of a dtype: f64, f32, f16 or bf16.
std::optional<WeakCriterion> WeakCriterionOf(std::string_view dtype);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_WEAK_CRITERION_H_
