// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that is being reduced: the module, and the inputs that it is run on if they are fixed.
//
//   Program smaller = program.Clone();
//   if (!edit.apply(smaller) || !CleanUp(smaller)) ...      // no candidate: nothing changed, or not valid
//   SizeOf(smaller) < SizeOf(program)
#ifndef OPBYOP_REDUCTION_PROGRAM_H_
#define OPBYOP_REDUCTION_PROGRAM_H_

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
  mlir::func::FuncOp main() const;  // null if there is none
  mlir::Block& body() const { return main().getBody().front(); }
};

// The size of a program for a reader.
struct ProgramSize {
  int64_t ops = 0;       // in all functions and regions, without constants and terminators
  int64_t elements = 0;  // of arguments, results and constants of @main
  int64_t lines = 0;     // of its text

  std::string Text() const;  // "3 ops, 12 elements, 9 lines"
};
ProgramSize SizeOf(const Program& program);

// A digest of the text, the fixed inputs and the op of the case: equal for programs that are judged alike.
std::string DigestOf(const Program& program, const std::string& op);

// Ops by their position in a walk, which is the same in a clone; without the module and functions.
std::vector<mlir::Operation*> OpsOf(const Program& program);

bool IsConstant(mlir::Operation* op);

// Whether an op of @main, or of a region in it, computes: it is no constant and no terminator.
bool IsComputation(mlir::Operation* op);

// Updates the type of @main after its arguments or returned values changed.
void UpdateSignature(Program& program);

// Removes unused ops, arguments with their inputs, and functions. Returns false if the module is not valid after that.
bool CleanUp(Program& program);

// Gives ops, in order, the result types that follow from their operands. A type that cannot be inferred stays.
void InferTypes(Program& program);

// The case of this program: `of` with the program's signature.
Case CaseOf(const Program& program, const Case& of);

}  // namespace opbyop::reduction

#endif  // OPBYOP_REDUCTION_PROGRAM_H_
