// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns overlapping intervals into a row of slices that never overlap, for the rows of the timeline.
//
//   std::vector<Slice> row = Segment({{0, 10, "dot.1"}, {5, 20, "add.2"}}, /*resolution=*/0);
//   // [0,5) dot.1   [5,10) fused_1: dot.1, add.2   [10,20) add.2
//
// A slice is a maximal stretch with a constant set of active labels. Neighbouring slices shorter than the clock's
// resolution cannot be distinguished, and become one window with the union of their labels.
#ifndef OPBYOP_REPORTS_OPTRACE_SEGMENTATION_H_
#define OPBYOP_REPORTS_OPTRACE_SEGMENTATION_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

struct Interval {
  int64_t start = 0;  // ps
  int64_t end = 0;
  std::string_view label;  // an op's full path; equal labels are one op
};

struct Slice {
  int64_t start = 0;
  int64_t end = 0;
  std::vector<std::string> members;  // sorted
  bool window = false;               // whether it was made of slices that the clock cannot distinguish
  std::string name;                  // the only member, or fused_<k>

  bool single() const { return members.size() == 1 && !window; }
};

// Slices in order, without gaps. Intervals of length 0 are left out as well.
std::vector<Slice> Segment(std::span<const Interval> intervals, int64_t resolution);

// The same, one slice at a time, so that a row of a million ops is never in memory as a whole.
void Segment(std::span<const Interval> intervals, int64_t resolution, const std::function<void(Slice&&)>& sink);

// One uninterrupted stretch of slices with a label.
struct Occurrence {
  std::string label;
  size_t first = 0;  // index of its first slice
  size_t last = 0;   // index of its last slice
};

std::vector<Occurrence> Occurrences(std::span<const Slice> row);

// The start and the duration of an occurrence, as far as they are known.
struct Placement {
  bool start_exact = true;
  bool duration_exact = true;
  Bounds start;
  Bounds duration;
};

// From the drawn slices alone, as AWS Neuron's tutorial reads its tables: an op that starts in a fused slice is known
// to start within it.
Placement PlaceByView(std::span<const Slice> row, const Occurrence& occurrence);

// From the clock: only a window hides where an op starts or ends.
Placement PlaceByClock(std::span<const Slice> row, const Occurrence& occurrence);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_SEGMENTATION_H_
