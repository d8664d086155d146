// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that whole models need and cases do not: inputs with which many layers stay in range, and a judgement for
// outputs whose bound has grown through all the ops until it says nothing (docs/numerics.md).
//
//   Expected<GeneratedInputs> drawn = GenerateModelInputs(module, InputKind::kDomain, case_id, seed, ranges);
//   Expected<Comparison> c = CompareOutput(0, expected, bytes);
//   JudgeWholeModel(expected, bytes, CriterionOf(module), 1, *c);  // c->weak: the bound proves nothing
#ifndef OPBYOP_REFERENCE_WORKER_WHOLE_MODEL_H_
#define OPBYOP_REFERENCE_WORKER_WHOLE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/cases/grid.h"
#include "manifests/results/result.h"
#include "manifests/results/weak_criterion.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/eval/estimate.h"
#include "reference/inputs/inputs.h"
#include "reference/inputs/trial.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// Like MakeInputs(), with two changes. Except under `exact-int`, matrices that are multiplied are scaled down by the
// square root of the length of their sums, so that activations neither vanish nor overflow over many layers, and have
// no special values, which would reach every result. Integers are in their range of `ranges`, if one is stated.
Expected<std::vector<InputData>> MakeModelInputs(mlir::ModuleOp module, InputKind kind, uint64_t seed,
                                                 const std::vector<InputRange>& ranges);

// A whole model is run only once, so it may cost more than a case.
inline constexpr WorkLimits kWholeModelLimits = {.operations = 1e12, .bytes = 1.2e10, .seconds = 600};

// Draws inputs by MakeModelInputs() until the model can be run with them (reference/inputs/trial.h).
Expected<GeneratedInputs> GenerateModelInputs(mlir::ModuleOp module, InputKind kind, std::string_view case_id,
                                              uint64_t seed, const std::vector<InputRange>& ranges,
                                              const Grid& grid = {});

// Returns the criterion for the narrowest float type that the program computes with.
WeakCriterion CriterionOf(mlir::ModuleOp module);

// Returns the criterion for an output of a program that amplifies its roundings: the share is at least twice the greatest
// distance from the same program with its results rounded toward zero, which is a right result too, and at most a half.
// `rmse` is the device's; if it is more than twice that of the distances, the device is off by more than roundings, and
// the criterion stays what it is.
WeakCriterion WidenedBy(WeakCriterion criterion, const Tensor& expected, const Tensor& rounded_toward_zero,
                        double rmse);

// Where the bound says nothing, and the device is as far from `expected` as the criterion refuses, takes the elements of
// `other` that it is not far from: another result that the device may give. `taken` is their number.
Tensor TakeWhereNear(const Tensor& expected, const Tensor& other, std::span<const std::byte> bytes,
                     WeakCriterion criterion, double factor, int64_t& taken);

// Sets range_error. If the bound is too wide, also sets weak, and sets accepted and rule by the criterion. `bytes` is
// the device's output, whose size CompareOutput has checked. `factor` is a policy's relaxation.
void JudgeWholeModel(const Tensor& expected, std::span<const std::byte> bytes, WeakCriterion criterion, double factor,
                     Comparison& comparison);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_WHOLE_MODEL_H_
