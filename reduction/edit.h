// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One step towards a smaller program. Candidates are proposed for the current program and applied to a clone of it, in
// which ops are found by their position in the walk.
//
//   for (const Edit& edit : OpEdits(program)) {
//     Program candidate = program.Clone();
//     if (edit.apply(candidate) && CleanUp(candidate) && judge.HasSameEnding(candidate)) program = std::move(candidate);
//   }
//
// No sequence of accepted edits returns to an earlier program: ops, elements and attributes only become fewer or
// simpler. An edit may leave an invalid program, which CleanUp detects.
#ifndef OPBYOP_REDUCTION_EDIT_H_
#define OPBYOP_REDUCTION_EDIT_H_

#include <functional>
#include <string>
#include <vector>

#include "reduction/program.h"

namespace opbyop::reduction {

struct Edit {
  std::string what;                     // "without stablehlo.add"
  std::function<bool(Program&)> apply;  // false if nothing was changed
};

using Edits = std::vector<Edit>;

// Inlines all calls of @main, so that ops of functions can be part of a run of ops.
Edits CallEdits(const Program& program);

// Keeps the run of consecutive ops [begin, end) among those that `RunLength` counts: values from ops before it become
// arguments, values that ops after it use become results.
int64_t RunLength(const Program& program);
Edit RunEdit(int64_t begin, int64_t end);

// Removes an op of @main or of a region: an operand, an argument or zero replaces its result.
Edits OpEdits(const Program& program);

// Puts the body of a loop in its place, as one trip; or takes a value out of those that a loop carries: it keeps what it
// had before the loop.
Edits LoopEdits(const Program& program);

// False if no trip of a loop changes what its condition reads: it has no trip or no end. A target would only be waited
// for.
bool LoopsMayEnd(const Program& program);

// Removes a result of @main.
Edits ResultEdits(const Program& program);

// Removes an attribute, or makes its numbers simpler; makes the elements of a constant equal.
Edits AttributeEdits(const Program& program);

// Makes a dimension smaller, everywhere or in one argument; gives all tensors one dimension. A part of fixed inputs is
// kept: `wrong`, the index of the worst element of the outputs, decides which part is tried first.
Edits ShapeEdits(const Program& program, const std::vector<int64_t>& wrong);

// Replaces other floats by f32, and other integers by i32, everywhere.
Edits TypeEdits(const Program& program);

// Makes every float of the program, and of its fixed inputs, an f64. Returns false if the program is not valid then, for
// instance because it uses the bits of a float.
bool WidenFloats(Program& program);

// Replaces elements of fixed inputs by zero, by one, or by a number with fewer digits.
Edits ValueEdits(const Program& program);

}  // namespace opbyop::reduction

#endif  // OPBYOP_REDUCTION_EDIT_H_
