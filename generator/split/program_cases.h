// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops that a program reaches, each with the case that it is: the one loop behind `split`, `capture` and `profile`.
//
//   Expected<ProgramCases> program = FindCases(module, options, FoldedParts::kDropped);
//   for (size_t i = 0; i < program->walk.ops.size(); ++i) Count(program->cases[program->case_of[i]], walk.ops[i]);
//
// Two ops are one case where their hashes are equal (generator/program/canonical_hash.h).
#ifndef OPBYOP_GENERATOR_SPLIT_PROGRAM_CASES_H_
#define OPBYOP_GENERATOR_SPLIT_PROGRAM_CASES_H_

#include <cstdint>
#include <set>
#include <vector>

#include "generator/program/canonical_hash.h"
#include "generator/program/foreign_attributes.h"
#include "generator/walk/split_options.h"
#include "generator/walk/walk.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ProgramCases {
  struct Distinct {
    Digest digest;
    mlir::Operation* op;       // the first of its kind
    std::set<int64_t> elided;  // arguments that are, anywhere in the program, constants without elements
  };

  mlir::ModuleOp module;      // that holds the entry function
  ForeignAttributes foreign;  // of it, which have been taken off
  Walk walk;
  std::vector<Distinct> cases;   // in order of first execution
  std::vector<int32_t> case_of;  // by place in walk.ops: index into `cases`
};

// In a per-op file the ops that are folded in front of the op under test are part of the case. They are no ops of a
// model, but whoever runs the file op by op comes to them.
enum class FoldedParts { kDropped, kKept };

// `module` may hold the program in a nested module. Errors: those of WalkProgram and of the hash.
Expected<ProgramCases> FindCases(mlir::ModuleOp module, const SplitOptions& options, FoldedParts folded);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_PROGRAM_CASES_H_
