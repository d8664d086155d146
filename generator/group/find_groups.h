// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds which ops of a program make a case together, at a granularity coarser than an op.
//
//   GroupFinder finder(program.walk, case_of, path_of, folder);
//   for (const FoundGroup& found : finder.Find({Granularity::Kind::kLayer})) Hash(found.group);
//
// A group has at least two ops of one block. Constants, and chains that are folded like constants, belong to no group:
// each program has those that its ops need. What a group returns is what is used outside of it.
#ifndef OPBYOP_GENERATOR_GROUP_FIND_GROUPS_H_
#define OPBYOP_GENERATOR_GROUP_FIND_GROUPS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generator/program/constants.h"
#include "generator/program/op_group.h"
#include "generator/walk/walk.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "manifests/cases/granularity.h"

namespace opbyop::generator {

struct FoundGroup {
  std::string_view word;  // kWindow, kModule, kLayer or kSegment
  OpGroup group;
  std::vector<int32_t> members;   // indices into Walk::ops
  bool is_named_by_last = false;  // a window has the name of its last op, other groups what is common to all
};

class GroupFinder {
 public:
  // `case_of` has a number for each of walk.ops that is equal for ops of one case, `path_of` the module path of each.
  GroupFinder(const Walk& walk, std::span<const int32_t> case_of,
              std::function<const std::vector<std::string>&(int32_t)> path_of, ConstantFolder& folder);

  // In order of first execution. Empty for kOp and kModel, which need no groups.
  std::vector<FoundGroup> Find(Granularity granularity);

 private:
  using Members = std::vector<int32_t>;

  mlir::Operation* OpAt(int32_t member) const { return walk_.ops[static_cast<size_t>(member)].op; }
  std::optional<FoundGroup> MakeGroup(std::string_view word, const Members& members) const;
  Members WindowOf(int32_t last, int64_t ops) const;
  std::vector<FoundGroup> Windows(int64_t ops) const;
  std::vector<FoundGroup> Modules(int64_t depth) const;
  std::vector<FoundGroup> Layers() const;
  void AddLayersOf(const Members& block, bool is_layer_itself, std::vector<FoundGroup>& groups) const;
  const Members* LoopBodyOf(int32_t member) const;

  const Walk& walk_;
  std::span<const int32_t> case_of_;
  std::function<const std::vector<std::string>&(int32_t)> path_of_;
  llvm::MapVector<mlir::Block*, Members> blocks_;    // the ops that may be in groups, in their order
  llvm::DenseMap<mlir::Operation*, int32_t> index_;  // of these ops
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_GROUP_FIND_GROUPS_H_
