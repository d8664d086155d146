// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a smaller twin of a large case: the same program with smaller extents, on which the policies are judged that a
// twin shows (RunPolicy::IsShownByTwin). For cases of which the manifest has no smaller twin (twins.h).
//
//   if (MayHaveMadeTwin(c)) {
//     const std::optional<MadeTwin> twin = MakeTwin(c, *ReadFile(folder / c.file));
//     WriteFile(dir / "twin.mlir", twin->program);       // of the case twin->c
//   }
//
// The reference itself makes the twin of a loop that is too much for it, with fewer trips. All policies are judged on that
// one (TwinOfLoop).
//
// Extents above a limit are replaced, equal ones by equal ones and different ones by different ones, so that operands
// and results still fit together. That holds for elementwise ops, products, sums, transpositions and broadcasts. Other
// ops have extents in their attributes, or take indices, which are always judged at full extent.
#ifndef OPBYOP_HARNESS_INPUTS_MADE_TWIN_H_
#define OPBYOP_HARNESS_INPUTS_MADE_TWIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/cases/case.h"
#include "protocol/worker_message.h"

namespace opbyop::harness {

// A twin is made of a case with more elements in its inputs and outputs. Below, judging costs less than compiling
// another program.
inline constexpr int64_t kMadeTwinElements = int64_t{1} << 22;

// Changes when twins are made in another way, so that results that were judged on others are not used again.
inline constexpr std::string_view kMadeTwinVersion = "made/2";

// True if the case is that large, and of an op of which twins are made.
bool MayHaveMadeTwin(const Case& c);

struct MadeTwin {
  Case c;               // `c.file` is empty; the id is that of the large case with "_twin" after it
  std::string program;  // text
  std::string shapes;   // "(136x192, 192x160) -> (136x160)"; of a loop also "3 of 32 trips"
  // Why the twin replaces the case under every policy: "reference too large: ..."; empty: it does not.
  std::string replaces;
};

// Returns the twin that the reference offers in place of a loop of which it says that it is too much. Such loops are over
// the layers of a model: the twin is judged as layers are (Case::is_judged_as_model).
MadeTwin TwinOfLoop(const Case& c, const protocol::SmallerProgram& smaller, std::string why);

// Returns a twin of at most kTwinElements (twins.h). nullopt if `program` is not text, or has dynamic extents, constants
// with an element per place, or quantized types, whose parameters may depend on an extent; or if the devices of a sharded
// case would have parts of several sizes.
std::optional<MadeTwin> MakeTwin(const Case& c, std::string_view program);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_MADE_TWIN_H_
