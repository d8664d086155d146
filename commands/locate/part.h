// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of a program as programs of their own, whose inputs are the reference's values at the cuts.
//
//   Expected<KnownValues> values = ValuesOf(program);            // every value of @main, by the reference
//   const Ops ops = ComputationsOf(program.body());
//   Expected<Program> part = Cut(program, {ops[3], ops[4]}, *values, ResultsOf({ops[3], ops[4]}, Asked::kLast));
//
// The ops of a part need not follow each other: the reference's value stands for a result of each op that is left out.
#ifndef OPBYOP_COMMANDS_LOCATE_PART_H_
#define OPBYOP_COMMANDS_LOCATE_PART_H_

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Operation.h"
#include "reduction/program.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::locate {

using reduction::Program;
using Ops = std::vector<mlir::Operation*>;
using KnownValues = llvm::DenseMap<mlir::Value, reference::Tensor>;

// The ops of a block that compute something, in their order.
Ops ComputationsOf(mlir::Block& block);

// Evaluates a program with fixed inputs. Returns the reference's error for an op that it cannot evaluate.
Expected<KnownValues> ValuesOf(const Program& program);

// The results that a part returns: all that are used outside of it, or of these only the ones that no op of it uses.
enum class Asked { kUsed, kLast };
std::vector<mlir::Value> ResultsOf(const Ops& ops, Asked asked);

// The ops as a program. Constants are copied, other values from outside are its fixed inputs. Returns kUnsupported if
// such a value is not known because it is no tensor, or if the program is not valid.
Expected<Program> Cut(const Program& of, const Ops& ops, const KnownValues& values,
                      const std::vector<mlir::Value>& results);

// Replaces the calls of @main by what they call. Returns false if the program is not valid then.
bool OpenCalls(Program& program);

// A loop or a branch that is opened: the block that is executed, and the values that it gets, for each trip.
struct Opened {
  mlir::Block* block = nullptr;            // null: the op has no such block
  std::vector<KnownValues> trips;          // of a loop, with the values of its carried arguments; one for a branch
  std::vector<reference::Values> carried;  // before each trip
};
// Returns kUnsupported for a loop of more than kMostTrips trips.
inline constexpr size_t kMostTrips = 4096;
Expected<Opened> Open(const Program& program, mlir::Operation* op, const KnownValues& values);

// The loop, which is the only op of the program, started with these carried values.
Expected<Program> LoopFrom(const Program& loop, const reference::Values& carried);

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_PART_H_
