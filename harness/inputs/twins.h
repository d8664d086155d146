// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cases that are one program but for the extents of its tensors: what the smaller is judged on need not be drawn again
// for the larger.
//
//   const Twins twins = SmallerTwins(manifest, kTwinElements);
//   const auto twin = twins.find(&c);             // of a case with more elements: a smaller one
#ifndef OPBYOP_HARNESS_INPUTS_TWINS_H_
#define OPBYOP_HARNESS_INPUTS_TWINS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "manifests/cases/manifest.h"

namespace opbyop::harness {

// Up to so many elements of inputs and outputs a case is judged on all of its sets, whatever others there are.
inline constexpr int64_t kTwinElements = int64_t{1} << 18;

// How many elements the inputs and outputs have together.
int64_t ElementsOf(const Case& c);

using Twins = std::unordered_map<const Case*, const Case*>;

// For the cases of more than `elements`, the smallest case of the same program where that is another one.
Twins SmallerTwins(const Manifest& manifest, int64_t elements);

// The program without comments, its case's id and the extents in `tensor<...>`.
std::string WithoutExtents(std::string_view program, std::string_view case_id);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_TWINS_H_
