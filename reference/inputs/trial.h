// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generates inputs with which a program can be run: it ends, its assertions hold and its shapes fit.
//
//   Expected<GeneratedInputs> drawn = GenerateInputs(module, InputKind::kDomain, case_id, seed, limits);
//   if (!drawn->unfit.empty()) ...   // "not runnable with any of 4 sets of generated inputs: a.mlir:4:
//                                     // stablehlo.compare: the loop around it has not ended after 5 s of
//                                     // processor time, in 81,230 trips"
//
// Ranges for the inputs cannot ensure that a loop ends. The reference therefore runs the program first, before a device
// hangs in it or fills the memory. The search may take WorkLimits::seconds for all draws together: half of it for the
// first draw, and for each further draw half of the rest; the last draw may take all that is left.
#ifndef OPBYOP_REFERENCE_INPUTS_TRIAL_H_
#define OPBYOP_REFERENCE_INPUTS_TRIAL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/grid.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {

struct GeneratedInputs {
  std::vector<InputData> inputs;
  std::string note;          // set if the first seed did not fit: which draw did, and why the first did not
  std::string unfit;         // set if no seed fits: why; the inputs must not be used
  bool out_of_time = false;  // the search reached its time limit; with more time a seed may fit
};

// Draws the inputs of one process. `id` differs with each draw.
using DrawInputs = std::function<Expected<std::vector<InputData>>(std::string_view id, LargeInputs large)>;

// Draws a few times until the inputs fit. A program that can be run with any inputs is not evaluated. Each process of a
// grid gets inputs of its own; those of the first are what a single process would get. Returns the errors of `draw`.
Expected<GeneratedInputs> GenerateInputs(mlir::ModuleOp module, const DrawInputs& draw, std::string_view case_id,
                                         const WorkLimits& limits, const Grid& grid, LargeInputs large);

// The same, by MakeInputs().
Expected<GeneratedInputs> GenerateInputs(mlir::ModuleOp module, InputKind kind, std::string_view case_id, uint64_t seed,
                                         const WorkLimits& limits, const Grid& grid = {},
                                         LargeInputs large = LargeInputs::kWhole);

// Returns a hook for EvalOptions::hook. It ends an evaluation with kBadInput if a loop without a constant number of
// trips takes longer than the limits allow, or if a shape that is a run-time value is negative or exceeds the limits.
// Empty if the program has neither such loops nor such shapes nor assertions.
std::function<Expected<bool>(OpContext&, Values&)> GuardOf(mlir::ModuleOp module, const WorkLimits& limits);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_TRIAL_H_
