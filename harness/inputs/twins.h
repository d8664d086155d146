// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds smaller twins: cases that are the same program except for the extents of its tensors. What the smaller case is
// judged on need not be drawn again for the larger. That does not hold of indices: a device may address the first 65,536
// rows of a table rightly and not the others. So the twin of an op with indices has the extents over which they reach.
//
//   const Twins twins = SmallerTwins(manifest, kTwinElements);
//   const auto twin = twins.find(&c);             // the smaller twin of a large case
#ifndef OPBYOP_HARNESS_INPUTS_TWINS_H_
#define OPBYOP_HARNESS_INPUTS_TWINS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "manifests/cases/manifest.h"

namespace opbyop::harness {

// A case with at most this many elements in its inputs and outputs is judged on all of its sets, whether it has a
// smaller twin or not.
inline constexpr int64_t kTwinElements = int64_t{1} << 18;

// Returns how many elements the inputs and outputs have together.
int64_t ElementsOf(const Case& c);

using Twins = std::unordered_map<const Case*, const Case*>;

// Maps each case of more than `elements` to the smallest case of the same program, unless it is itself the smallest.
Twins SmallerTwins(const Manifest& manifest, int64_t elements);

// Returns the id of the case's smaller twin; empty if it has none.
std::string SmallerTwinOf(const Case& c, const Twins& twins);

// Returns the program without comments, without its case's id and without the extents in `tensor<...>`.
std::string WithoutExtents(std::string_view program, std::string_view case_id);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_TWINS_H_
