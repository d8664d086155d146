// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the ops that a program reaches and the case of each. `split`, `capture` and `profile` share this loop.
//
//   Expected<ProgramCases> program = FindCases(module, options, FoldedParts::kDropped);
//   for (size_t i = 0; i < program->walk.ops.size(); ++i) Count(program->cases[program->case_of[i]], walk.ops[i]);
//
// Two ops are one case if their hashes are equal (generator/program/canonical_hash.h).
#ifndef OPBYOP_GENERATOR_SPLIT_PROGRAM_CASES_H_
#define OPBYOP_GENERATOR_SPLIT_PROGRAM_CASES_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "generator/program/canonical_hash.h"
#include "generator/program/foreign_attributes.h"
#include "generator/walk/split_options.h"
#include "generator/walk/walk.h"
#include "manifests/cases/case_sharding.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ProgramCases {
  struct Distinct {
    Digest digest;
    mlir::Operation* op;                           // the first op of this case
    Grid grid;                                     // on which the op runs by itself
    std::shared_ptr<const CaseSharding> sharding;  // null: every device has all of its tensors
    std::set<int64_t> elided;  // arguments that are constants without elements anywhere in the program
  };

  mlir::ModuleOp module;      // the module that contains the entry function
  ForeignAttributes foreign;  // the foreign attributes that were removed from it
  // Ops of `walk` with the shapes of one device are in this module instead; null if there are none.
  mlir::OwningOpRef<mlir::ModuleOp> local;
  Walk walk;
  // How the arguments and results of the program are divided; null if they are not, or if its ops are not sharded cases.
  std::shared_ptr<const CaseSharding> sharding;
  std::vector<std::string> not_divided;  // shardings that no case has (Model::not_divided)
  std::vector<Distinct> cases;           // in order of first execution
  std::vector<int32_t> case_of;          // index into `cases` for each of walk.ops
};

// In a per-op file, the ops that are folded in front of the op under test are part of the case. They are no ops of a
// model, but a program that runs the file op by op reaches them.
enum class FoldedParts { kDropped, kKept };

// `module` may contain the program in a nested module. Its collectives get the form of CanonicalizeGroups(). Returns the errors of WalkProgram and of the hash.
Expected<ProgramCases> FindCases(mlir::ModuleOp module, const SplitOptions& options, FoldedParts folded);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_PROGRAM_CASES_H_
