// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/group_cases.h"

#include <algorithm>
#include <set>
#include <utility>

#include "generator/group/find_groups.h"
#include "generator/program/canonical_hash.h"
#include "generator/program/case_writer.h"
#include "generator/program/constants.h"
#include "generator/program/describe_case.h"
#include "generator/program/process_grid.h"
#include "generator/walk/origins.h"
#include "ir/entry_function.h"
#include "llvm/ADT/DenseMap.h"

namespace opbyop::generator {
namespace {

// For each op that the copy reaches, the index of the case that the original has in `ops`.
std::vector<int32_t> CasesIn(const ExpandedProgram& program, const ProgramCases& ops) {
  llvm::DenseMap<mlir::Operation*, int32_t> case_of;
  for (size_t i = 0; i < ops.case_of.size(); ++i) case_of[ops.walk.ops[i].op] = ops.case_of[i];
  std::vector<int32_t> cases;
  cases.reserve(program.walk.ops.size());
  for (const ReachedOp& reached : program.walk.ops) cases.push_back(case_of.lookup(program.original.at(reached.op)));
  return cases;
}

std::vector<std::string> HashesOf(const std::vector<int32_t>& members, const std::vector<int32_t>& case_of,
                                  const ProgramCases& ops) {
  std::set<std::string> hashes;
  for (const int32_t member : members) {
    const int32_t place = case_of[static_cast<size_t>(member)];
    hashes.insert(ops.cases[static_cast<size_t>(place)].digest.Hex());
  }
  return {hashes.begin(), hashes.end()};
}

void MergeSorted(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
}

}  // namespace

Expected<GroupCases> FindGroupCases(mlir::ModuleOp outer, const SplitOptions& options, const ProgramCases& ops,
                                    const std::string& model) {
  using Kind = Granularity::Kind;
  GroupCases found;
  const bool has_groups = options.granularity.kind != Kind::kOp && options.granularity.kind != Kind::kModel;
  if (!has_groups || ops.module->hasAttr(kCaseAttribute)) return found;
  Expected<ExpandedProgram> program = ExpandCalls(outer, EntryName(outer, options.entry), options.walk);
  if (!program) return Unexpected(program.error());
  found.program = std::move(*program);
  const Walk& walk = found.program.walk;
  const std::vector<int32_t> case_of = CasesIn(found.program, ops);
  OriginTable table(walk);
  const auto path_of = [&](int32_t i) -> const std::vector<std::string>& {
    return table.PathOf(walk.ops[static_cast<size_t>(i)]);
  };
  ConstantFolder folder(options.fold_limit, options.vary_constants);
  CanonicalHasher hasher(found.program.module);
  ProcessGrid grid(found.program.module);
  llvm::DenseMap<Digest, int32_t> index;
  for (const FoundGroup& group : GroupFinder(walk, case_of, path_of, folder).Find(options.granularity)) {
    const CaseInputs inputs = FindInputs(group.group, folder);
    const Expected<Digest> digest = hasher.HashCase(group.group, inputs);
    if (!digest) return Unexpected(digest.error());
    const auto [place, is_new] = index.try_emplace(*digest, static_cast<int32_t>(found.cases.size()));
    if (is_new) {
      found.cases.push_back(DescribeCase(group.word, group.group, inputs, *digest, grid.Of(group.group.ops())));
      found.groups.push_back(group.group);
    }
    MergeSorted(found.cases[static_cast<size_t>(place->second)].members, HashesOf(group.members, case_of, ops));
    std::vector<ReachedOp> members;
    for (const int32_t member : group.members) members.push_back(walk.ops[static_cast<size_t>(member)]);
    if (group.is_named_by_last) {
      table.Count(place->second, members.back(), {});
    } else {
      table.CountTogether(place->second, members);
    }
  }
  for (auto& [place, origin] : table.Take(model)) {
    found.cases[static_cast<size_t>(place)].origins.push_back(std::move(origin));
  }
  return found;
}

}  // namespace opbyop::generator
