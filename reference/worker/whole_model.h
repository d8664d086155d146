// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a whole model needs beside what a case needs: inputs under which many layers stay in range, and a judgement
// where the bound that has come through all of its ops says nothing any more (docs/numerics.md).
//
//   Expected<std::vector<InputData>> inputs = MakeModelInputs(module, InputKind::kDomain, seed, ranges);
//   Expected<Comparison> c = CompareOutput(0, expected, bytes);
//   JudgeWholeModel(expected, bytes, CriterionOf(module), 1, *c);  // c->weak: the bound proves nothing
#ifndef OPBYOP_REFERENCE_WORKER_WHOLE_MODEL_H_
#define OPBYOP_REFERENCE_WORKER_WHOLE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/results/weak_criterion.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/eval/estimate.h"
#include "reference/inputs/inputs.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// MakeInputs, with two changes. Matrices that are multiplied are scaled by the square root of the length of their sums,
// so that activations neither vanish nor overflow over many layers, and have no special values, which would reach every
// result; not under `exact-int`. Integers lie in `ranges` where one is stated.
Expected<std::vector<InputData>> MakeModelInputs(mlir::ModuleOp module, InputKind kind, uint64_t seed,
                                                 const std::vector<InputRange>& ranges);

// A whole model may cost what no case does; it is run once.
inline constexpr WorkLimits kWholeModelLimits = {.operations = 1e12, .bytes = 1.2e10, .seconds = 600};

// By the narrowest float that the program computes with.
WeakCriterion CriterionOf(mlir::ModuleOp module);

// Sets range_error; where the bound is too wide also weak, and accepted and rule by the criterion.
// `bytes`: the device's, of the size that CompareOutput has checked. `factor`: a policy's relaxation.
void JudgeWholeModel(const Tensor& expected, std::span<const std::byte> bytes, WeakCriterion criterion, double factor,
                     Comparison& comparison);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_WHOLE_MODEL_H_
