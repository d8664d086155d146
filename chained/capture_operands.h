// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Captures the operands that the ops of a model really get, by running the model once in the reference.
//
//   Expected<int64_t> ops = CaptureOperands(module, {.seed = 0}, [&](const std::string& hash, auto operands) { ... });
//
// The sink gets each distinct case once, by its hash (manifests/cases/case.h), with one tensor per argument of its
// per-op file. Model inputs are seeded `domain` values, but matrices that are multiplied are scaled by the square root
// of the length of their sums, so that activations neither vanish nor overflow over many layers. Integers lie in the
// ranges that models.yaml states.
#ifndef OPBYOP_CHAINED_CAPTURE_OPERANDS_H_
#define OPBYOP_CHAINED_CAPTURE_OPERANDS_H_

#include <functional>
#include <string>
#include <vector>

#include "generator/split/model_list.h"
#include "generator/walk/split_options.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/inputs/inputs.h"

namespace opbyop::chained {

struct CaptureOptions {
  generator::SplitOptions split;  // the options of the split that made the cases
  uint64_t seed = 0;
  std::string model;               // part of the seed
  std::vector<InputRange> ranges;  // the ranges of the arguments; may be empty
};

using CaptureSink =
    std::function<Expected<void>(const std::string& hash, const std::vector<reference::InputData>& operands)>;

// Returns the number of distinct ops that were reached. Returns the reference's error, or the sink's.
Expected<int64_t> CaptureOperands(mlir::ModuleOp module, const CaptureOptions& options, const CaptureSink& sink);

// Draws the inputs of a whole model.
Expected<std::vector<reference::InputData>> ModelInputs(mlir::ModuleOp module, const CaptureOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CAPTURE_OPERANDS_H_
