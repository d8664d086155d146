// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What policies put into the lines of an argument (lines.h), which is drawn as ordinary numbers: written over it, line
// by line, so that each one has its share however long it is.
//
//   PutSpecialLines(role, *role.lines, stream, data);   // `edge`: NaN at the ends and in the middle, infinities
//   PutExtremeLines(*role.lines, stream, false, data);  // `sparse`: the winner of each line at a place of its own
//   PutExactLines(*role.lines, stream, data);           // `sparse`: sums that are exact in every order
//   PutSortedLines(*role.lines, stream, shared, data);  // `edge`: equal keys, and what tells them apart
#ifndef OPBYOP_REFERENCE_INPUTS_LINE_INPUTS_H_
#define OPBYOP_REFERENCE_INPUTS_LINE_INPUTS_H_

#include "reference/inputs/input_role.h"
#include "reference/inputs/inputs.h"
#include "reference/inputs/lines.h"
#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {

// Half of the lines, or a sixth where a result takes from several, get a NaN, an infinity, both, a great number, or -0
// throughout; the others stay. A single line gets a NaN for three seeds of four.
void PutSpecialLines(const InputRole& role, const Lines& lines, const CounterStream& stream, InputData& data);

// Whether the winner of a line can be dealt: what wins is known, and so is the place of every element.
bool TakesExtremes(const InputRole& role, ElementType type);
// In each line one element wins by one unit in the last place over several that are equal. The places of winners are
// dealt over all of a line, its ends first; that of a single line is in the last 8, or beyond the last full 8; or all
// are in the middle of their lines. Half of the lines, and a single one, are on the side of zero where 0 would win.
void PutExtremeLines(const Lines& lines, const CounterStream& stream, bool in_the_middle, InputData& data);

// Whether the argument has so few sums that the few terms of `sparse` leave places out.
bool TakesExactSums(const InputRole& role, ElementType type);
// All terms of a sum are multiples of one number q and of one sign, and none of the sums is beyond 2^p q: every partial
// sum is exact in every order, and whatever is lost is missed. Of running sums the terms have both signs.
void PutExactLines(const Lines& lines, const CounterStream& stream, InputData& data);

// Keys and what stands beside them. `shared` is the same for all operands of the op: where equal keys have no defined
// order, what is beside them is equal too.
void PutSortedLines(const Lines& lines, const CounterStream& stream, const CounterStream& shared, InputData& data);

// Whether numbers of the type that are spread evenly would be equal here and there, which leaves the order of what is
// beside them open.
bool TakesDistinctKeys(const InputRole& role, ElementType type);
// Keys of which no two of a line are equal, over the whole range of the type, in no order.
void PutDistinctKeys(const Lines& lines, const CounterStream& stream, InputData& data);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_LINE_INPUTS_H_
