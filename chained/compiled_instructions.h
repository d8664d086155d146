// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The instructions of a model that was compiled in one piece, and the ops of the model that each of them computes.
//
//   const std::string text = TextWithOpNames(module, plan, Form::kAsIs);   // what the compiler gets
//   auto instructions = InstructionsOf(plan, {xspace, compiled_text});  // what its device's profiler recorded
//
// Compilers pass the names of locations on to their instructions. In the text that is compiled, the location of each op
// is therefore its name in the trace ("dot_general.3"). An instruction has the ops whose names it has: in the compiled
// program's text, where a fusion has those of all that it fuses, or else in the profiler's trace, which has one.
#ifndef OPBYOP_CHAINED_COMPILED_INSTRUCTIONS_H_
#define OPBYOP_CHAINED_COMPILED_INSTRUCTIONS_H_

#include <string>
#include <vector>

#include "chained/chain_device.h"
#include "chained/program_plan.h"
#include "manifests/optrace/optrace.h"
#include "mlir/IR/BuiltinOps.h"
#include "protocol/span.h"
#include "support/expected.h"

namespace opbyop::chained {

// Whether the shardings that a program states are as they are, as GSPMD reads them, or dropped
// (generator/shard/gspmd_form.h).
enum class Form { kAsIs, kGspmd, kDropped };

// `plan` is that of `module`. An op of a function that is called several times has the name of its first call; ops in a
// region of an op, such as a reducer's, have the name of that op.
std::string TextWithOpNames(mlir::ModuleOp module, const ProgramPlan& plan, Form form);

// Returns kBadInput if the profile's trace is damaged. Empty if it has no instructions.
Expected<std::vector<optrace::Instruction>> InstructionsOf(const ProgramPlan& plan, const DeviceProfile& profile);

// The same of a device without a profiler whose worker reports what each process did: a process is a track, and its
// instructions are the collectives and all that it computes between two of them. Empty if it does not report it.
std::vector<optrace::Instruction> InstructionsOf(const std::vector<protocol::Span>& spans);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_COMPILED_INSTRUCTIONS_H_
