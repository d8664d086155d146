// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A line is the set of elements of an argument that go into one result of a reduction, a window, a running sum, a sort
// or a product. Finds the lines of an argument, and what is done with them.
//
//   std::optional<Lines> lines = LinesOf(use);
//   ForEachLine(*lines, [&](const Line& line) { ... line.Place(0) ... line.Place(line.length - 1) ... });
#ifndef OPBYOP_REFERENCE_INPUTS_LINES_H_
#define OPBYOP_REFERENCE_INPUTS_LINES_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "mlir/IR/Value.h"
#include "reference/tensor/element_type.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

enum class LineUse : uint8_t {
  kSum,      // added up
  kExtreme,  // the greatest or the least of a line is its result
  kPick,     // the same, together with the elements at its place in other operands: arg-max
  kPayload,  // another operand, whose elements are picked or sorted by another operand
  kFactor,   // multiplied by elements of another operand, and added up
  kSort,     // put in order
  kOther,    // combined in some other way
};

struct Lines {
  Shape shape;  // shape of the argument; one dimension if its elements are read in another order
  Shape block;  // extents of a line; the last line of a dimension may be cut short
  LineUse use = LineUse::kOther;
  bool greatest = true;    // kExtreme, kPick: the greatest is selected; else the least
  bool neutral = true;     // kExtreme, kPick: the initial value does not exceed the elements
  bool ordered = true;     // kPick: the choice among equal elements, kSort: that among zeros, has a defined order
  bool slides = false;     // a result depends on several lines
  bool running = false;    // each element has a result, of the elements up to it, or of those from it on
  bool backwards = false;  // for `running`: of the elements from it on
  bool takes_nan = true;   // one NaN in a line has the same effect in every order; kSort: the order has a place for it
  bool total = false;      // kSort: both zeros differ in the order, and so do NaN of both signs
  bool stable = true;      // kSort, kPayload: equal keys keep their order
  bool paired = false;     // kSort: other operands are sorted with it
  // kSort, kPayload: all operands of the sort are arguments. All can then have equal elements at the same two places.
  bool all_arguments = false;
  bool outnumbered = false;  // kFactor: few lines, each multiplied by all of the many lines of the other operand
  // `element` is the narrowest type of the argument's elements on their way to the line; nullopt if they are moved or
  // computed with there. `result` is the narrowest type of the results and of the elementwise ops that follow.
  std::optional<ElementType> element, result;

  int64_t count() const;
  int64_t length() const { return SizeOf(block); }
};

// Returns the lines of the operand `use`. If its elements are moved on the way from the argument, `moved` is the number
// of elements of the argument. Returns nullopt if the op takes elements one by one, or only moves them, or if it is not
// known how the result depends on their order.
std::optional<Lines> LinesOf(mlir::OpOperand& use, std::optional<int64_t> moved = std::nullopt);

// Returns the type of the two whose numbers the other has all. nullopt if there is none, or one type is unknown.
std::optional<ElementType> Narrower(std::optional<ElementType> a, std::optional<ElementType> b);

// A line of a tensor in row-major order.
struct Line {
  int64_t number = 0;
  int64_t length = 0;  // less than Lines::length() if the line is cut short
  Shape corner, extents;
  const Shape* strides = nullptr;

  // Returns the place in the tensor of element k of the line. The elements of a line are counted in row-major order.
  int64_t Place(int64_t k) const {
    int64_t place = 0;
    for (size_t d = extents.size(); d-- > 0;) {
      place += (corner[d] + k % extents[d]) * (*strides)[d];
      k /= extents[d];
    }
    return place;
  }
};

template <typename Fn>
void ForEachLine(const Lines& lines, Fn&& fn) {
  if (SizeOf(lines.shape) == 0 || lines.length() == 0) return;
  const size_t rank = lines.shape.size();
  const Shape strides = StridesOf(lines.shape);
  Line line;
  line.corner.assign(rank, 0);
  line.extents.assign(rank, 0);
  line.strides = &strides;
  const int64_t count = lines.count();
  for (; line.number < count; ++line.number) {
    line.length = 1;
    for (size_t d = 0; d < rank; ++d) {
      line.extents[d] = std::min(lines.block[d], lines.shape[d] - line.corner[d]);
      line.length *= line.extents[d];
    }
    fn(static_cast<const Line&>(line));
    for (size_t d = rank; d-- > 0;) {
      line.corner[d] += lines.block[d];
      if (line.corner[d] < lines.shape[d]) break;
      line.corner[d] = 0;
    }
  }
}

// Calls fn(k, place) for all elements of a line, in order.
template <typename Fn>
void ForEachPlace(const Line& line, Fn&& fn) {
  const size_t rank = line.extents.size();
  const int64_t run = rank == 0 ? 1 : line.extents[rank - 1];
  const int64_t step = rank == 0 ? 1 : (*line.strides)[rank - 1];
  for (int64_t k = 0; k < line.length; k += run) {
    int64_t place = line.Place(k);
    for (int64_t i = 0; i < run; ++i, place += step) fn(k + i, place);
  }
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_LINES_H_
