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

// The type in which the winner of a line can be dealt: what wins is known, and so is the place of every element. All
// numbers of it are in every type on the way.
std::optional<ElementType> ExtremesOf(const InputRole& role);
// In each line one element wins by one unit in the last place over several that are equal. The places of winners are
// dealt over all of a line, its ends first; that of a single line is in the last 8, or beyond the last full 8; or all
// are in the middle of their lines. Half of the lines, and a single one, are on the side of zero where 0 would win.
void PutExtremeLines(const Lines& lines, const CounterStream& stream, bool in_the_middle, InputData& data);

// The type of exact terms, all numbers of which are in every type before the sum: where the argument has so few sums
// that the few terms of `sparse` leave places out.
std::optional<ElementType> ExactTermsOf(const InputRole& role);
// All terms of a sum are multiples of one number q and of one sign, and none of the sums is beyond 2^p q, with p digits
// in every type of the sum: every partial sum is exact in every order, and whatever is lost is missed. Of running sums
// the terms have both signs.
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
