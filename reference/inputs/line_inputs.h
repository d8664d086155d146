// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values that policies put into the lines of an argument (lines.h). The argument has ordinary numbers at first; special
// values are written over them line by line, so that each line gets some however long it is.
//
//   PutSpecialLines(role, *role.lines, stream, data);   // `edge`: NaN at the ends and in the middle, infinities
//   PutExtremeLines(*role.lines, stream, false, data);  // `sparse`: the extreme of each line at another place
//   PutExactLines(*role.lines, stream, data);           // `sparse`: sums that are exact in every order
//   PutSortedLines(*role.lines, stream, shared, data);  // `edge`: equal keys, and operands sorted with them
#ifndef OPBYOP_REFERENCE_INPUTS_LINE_INPUTS_H_
#define OPBYOP_REFERENCE_INPUTS_LINE_INPUTS_H_

#include "reference/inputs/input_role.h"
#include "reference/inputs/inputs.h"
#include "reference/inputs/lines.h"
#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {

// Half of the lines, or a sixth if a result depends on several lines, get a NaN, an infinity, infinities of both signs,
// a great number, or -0 in all elements. The others are unchanged. A single line gets a NaN for three of four seeds.
void PutSpecialLines(const InputRole& role, const Lines& lines, const CounterStream& stream, InputData& data);

// Returns the type in which the extreme of each line can be drawn. nullopt unless it is known which element is selected
// and where each element of the argument ends up. Every type between the argument and the line has all numbers of the
// returned type.
std::optional<ElementType> ExtremesOf(const InputRole& role);
// In each line one element, the extreme, exceeds several equal ones by one unit in the last place. Over many lines the
// extremes take all places, the ends of a line first. In a single line the extreme is among the last 8 elements, or
// among those after the last full group of 8. With `in_the_middle` it is in the middle of every line. In half of the
// lines, and in a single one, all elements are on that side of zero where an additional 0 would be the extreme.
void PutExtremeLines(const Lines& lines, const CounterStream& stream, bool in_the_middle, InputData& data);

// Returns the type in which terms with exact sums can be drawn; every type before the sum has all of its numbers.
// nullopt unless the argument has so few sums that the few terms of `sparse` would not reach every place.
std::optional<ElementType> ExactTermsOf(const InputRole& role);
// All terms of a sum are multiples of one number q and have the same sign, and no sum exceeds 2^p q, where every type of
// the sum has at least p digits. Every partial sum is then exact in every order, so any lost term is detected. The terms
// of running sums have both signs.
void PutExactLines(const Lines& lines, const CounterStream& stream, InputData& data);

// Fills keys and the operands that are sorted with them. `shared` must be the same stream for all operands of the op:
// if the order of equal keys is not defined, their elements in the other operands are made equal too.
void PutSortedLines(const Lines& lines, const CounterStream& stream, const CounterStream& shared, InputData& data);

// Whether evenly spread numbers of the type would have some equal ones, which would leave the order of the operands
// sorted with them open.
bool TakesDistinctKeys(const InputRole& role, ElementType type);
// Fills each line with different keys from the whole range of the type, in random order.
void PutDistinctKeys(const Lines& lines, const CounterStream& stream, InputData& data);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_LINE_INPUTS_H_
