// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inputs that a program can be run with: it comes to an end, its assertions hold and its shapes fit.
//
//   Expected<GeneratedInputs> drawn = GenerateInputs(module, InputKind::kDomain, case_id, seed, limits);
//   if (!drawn->unfit.empty()) ...   // "not runnable with any of 4 sets of generated inputs: a.mlir:4:
//                                     // stablehlo.compare: the loop around it has not ended after 5 s of
//                                     // processor time, in 81,230 trips"
//
// What a loop does under random inputs is nothing that a range for each input could say, so the reference runs the
// program first, before a device hangs in it or fills the memory. The search has WorkLimits::seconds for all draws
// together, whatever a loop makes of them: the first draw may take half of it, each further one half of what is left.
#ifndef OPBYOP_REFERENCE_INPUTS_TRIAL_H_
#define OPBYOP_REFERENCE_INPUTS_TRIAL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {

struct GeneratedInputs {
  std::vector<InputData> inputs;
  std::string note;          // where the first seed gave none that fit
  std::string unfit;         // why no seed did; the inputs are not to be used
  bool out_of_time = false;  // the search ended by its limit: with more time a seed may fit
};

// MakeInputs() of the first of a few seeds whose inputs fit. A program that no input can lead astray is not run.
// Errors: those of MakeInputs().
Expected<GeneratedInputs> GenerateInputs(mlir::ModuleOp module, InputKind kind, std::string_view case_id, uint64_t seed,
                                         const WorkLimits& limits);

// For EvalOptions::hook: ends an evaluation with kBadInput where a program with a loop that does not count to an end
// takes longer than the limits, or a shape that is a run-time value is negative or larger than they are. Empty for a
// program without either.
std::function<Expected<bool>(OpContext&, Values&)> GuardOf(mlir::ModuleOp module, const WorkLimits& limits);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_TRIAL_H_
