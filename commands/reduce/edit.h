// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One step towards a smaller program, to be tried: candidates are proposed for a program as it is now and applied to a
// clone of it, whose ops they find by their place in the walk.
//
//   for (const Edit& edit : OpEdits(program)) {
//     Program candidate = program.Clone();
//     if (edit.apply(candidate) && CleanUp(candidate) && judge.EndsAlike(candidate)) program = std::move(candidate);
//   }
//
// No sequence of accepted edits comes back to a program that it had: ops, elements and attributes only become fewer or
// simpler. An edit may leave a program that is not valid; CleanUp says so.
#ifndef OPBYOP_COMMANDS_REDUCE_EDIT_H_
#define OPBYOP_COMMANDS_REDUCE_EDIT_H_

#include <functional>
#include <string>
#include <vector>

#include "commands/reduce/program.h"

namespace opbyop::reduction {

struct Edit {
  std::string what;                     // "without stablehlo.add"
  std::function<bool(Program&)> apply;  // false where nothing was changed
};

using Edits = std::vector<Edit>;

// Calls of @main in its place, all of them: ops of functions are then ops of a run.
Edits CallEdits(const Program& program);

// The run of consecutive ops [begin, end) of those that `RunLength` counts: what it needs of those before it becomes an
// argument, what those behind it need a result.
int64_t RunLength(const Program& program);
Edit RunEdit(int64_t begin, int64_t end);

// An op less, in @main or in a region: an operand, an argument or zero in place of its result.
Edits OpEdits(const Program& program);

// A result of @main less.
Edits ResultEdits(const Program& program);

// An attribute absent, or of simpler numbers; a constant of equal elements.
Edits AttributeEdits(const Program& program);

// A dimension smaller, everywhere or of one argument; all tensors of one dimension. Of fixed inputs a part is kept:
// `wrong`, where the worst element of the outputs is, says which is tried first.
Edits ShapeEdits(const Program& program, const std::vector<int64_t>& wrong);

// f32 in place of other floats, i32 in place of other integers, everywhere.
Edits TypeEdits(const Program& program);

// Edits of fixed inputs: zero, one or fewer digits in place of elements.
Edits ValueEdits(const Program& program);

}  // namespace opbyop::reduction

#endif  // OPBYOP_COMMANDS_REDUCE_EDIT_H_
