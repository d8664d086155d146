// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Overlapping intervals as a row of slices that never overlap: what each row of the timeline shows.
//
//   std::vector<Slice> row = Segment({{0, 10, "dot.1"}, {5, 20, "add.2"}}, /*resolution=*/0);
//   // [0,5) dot.1   [5,10) fused_1: dot.1, add.2   [10,20) add.2
//
// A slice is a maximal stretch with a constant set of active labels. Neighbouring slices shorter than the clock's
// resolution cannot be told apart and become one window with the union of their labels.
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
  bool window = false;               // made of slices that the clock cannot tell apart
  std::string name;                  // the only member, or fused_<k>

  bool single() const { return members.size() == 1 && !window; }
};

// Slices in order; gaps are left out. Intervals of no length are left out as well.
std::vector<Slice> Segment(std::span<const Interval> intervals, int64_t resolution);

// The same, one slice at a time: a row of a million ops never stands in memory as a whole.
void Segment(std::span<const Interval> intervals, int64_t resolution, const std::function<void(Slice&&)>& sink);

// One uninterrupted stretch of slices that hold a label.
struct Occurrence {
  std::string label;
  size_t first = 0;  // index of its first slice
  size_t last = 0;   // of its last
};

std::vector<Occurrence> Occurrences(std::span<const Slice> row);

// When an occurrence began and how long it took, as far as it is known.
struct Placement {
  bool start_exact = true;
  bool duration_exact = true;
  Bounds start;
  Bounds duration;
};

// From the drawn slices alone, as the tables of AWS Neuron's tutorial read them: an op that begins in a fused slice
// is known to begin within it.
Placement PlaceByView(std::span<const Slice> row, const Occurrence& occurrence);

// From what is known of the clock: only a window hides where an op begins or ends.
Placement PlaceByClock(std::span<const Slice> row, const Occurrence& occurrence);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_SEGMENTATION_H_
