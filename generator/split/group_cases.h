// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cases of several ops of a program, each with its origins in the model and the cases of its ops as members.
//
//   Expected<GroupCases> groups = FindGroupCases(outer, options, program, "bert");
//   std::string text = writer.Write(groups->groups[i], inputs, {groups->cases[i].id, {}});
//
// Two groups are one case if their hashes are equal, as for single ops: the 32 layers of a model are one case.
#ifndef OPBYOP_GENERATOR_SPLIT_GROUP_CASES_H_
#define OPBYOP_GENERATOR_SPLIT_GROUP_CASES_H_

#include <string>
#include <vector>

#include "generator/group/expanded_program.h"
#include "generator/program/op_group.h"
#include "generator/split/program_cases.h"
#include "generator/walk/split_options.h"
#include "manifests/cases/case.h"
#include "support/expected.h"

namespace opbyop::generator {

struct GroupCases {
  ExpandedProgram program;
  std::vector<OpGroup> groups;  // in `program`, one for each case
  std::vector<Case> cases;      // without ids; `members` are hashes of cases of `ops`
};

// `ops` are the cases of the single ops of the same module. Empty for granularities without groups, and for a file that
// is one case already. Returns the errors of ExpandCalls and of the hash.
Expected<GroupCases> FindGroupCases(mlir::ModuleOp outer, const SplitOptions& options, const ProgramCases& ops,
                                    const std::string& model);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_GROUP_CASES_H_
