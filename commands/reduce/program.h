// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that is being reduced: the module, and the inputs that it is run on where they are held fixed.
//
//   Program smaller = program.Clone();
//   if (!edit.apply(smaller) || !CleanUp(smaller)) ...      // no candidate: nothing changed, or not valid
//   SizeOf(smaller) < SizeOf(program)
#ifndef OPBYOP_COMMANDS_REDUCE_PROGRAM_H_
#define OPBYOP_COMMANDS_REDUCE_PROGRAM_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/cases/case.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/inputs/inputs.h"
#include "support/expected.h"

namespace opbyop::reduction {

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  // One per argument of @main; nullopt while they are drawn by policy and seed.
  std::optional<std::vector<reference::InputData>> inputs;

  Program Clone() const;
  mlir::func::FuncOp main() const;  // null where there is none
  mlir::Block& body() const { return main().getBody().front(); }
};

// What a reader has to take in.
struct ProgramSize {
  int64_t ops = 0;       // in all functions and regions, without constants and terminators
  int64_t elements = 0;  // of arguments, results and constants of @main
  int64_t lines = 0;     // of its text

  std::string Text() const;  // "3 ops, 12 elements, 9 lines"
};
ProgramSize SizeOf(const Program& program);

// Ops by their place in a walk, which a clone has as well; the module and functions are none.
std::vector<mlir::Operation*> OpsOf(const Program& program);

// An op of @main, or of a region in it, that computes: no constant, no terminator.
bool IsComputation(mlir::Operation* op);

// The type of @main after its arguments or returned values changed.
void UpdateSignature(Program& program);

// Takes away what nothing uses: ops, arguments with their inputs, functions. False where the module is not valid then.
bool CleanUp(Program& program);

// Gives ops, in order, the result types that follow from their operands. What cannot be told stays as it is.
void InferTypes(Program& program);

// The case that this program is: `of` with its signature.
Case CaseOf(const Program& program, const Case& of);

}  // namespace opbyop::reduction

#endif  // OPBYOP_COMMANDS_REDUCE_PROGRAM_H_
