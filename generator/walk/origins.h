// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups the ops of one model by case, framework op, module path, enclosing control flow and attributes of unknown
// dialects.
//
//   OriginTable table(walk);
//   table.Count(case_index, reached, {});   // for each reached op, in program order
//   for (auto& [index, origin] : table.Take("bert")) cases[index].origins.push_back(origin);
#ifndef OPBYOP_GENERATOR_WALK_ORIGINS_H_
#define OPBYOP_GENERATOR_WALK_ORIGINS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "generator/walk/attribution.h"
#include "generator/walk/walk.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "manifests/cases/case.h"

namespace opbyop::generator {

// Each location is parsed once, and the name stack of each call path is joined once.
class OriginTable {
 public:
  explicit OriginTable(const Walk& walk) : walk_(walk), outer_(walk.paths.size(), -1) {}

  // Counts the op once for every call path to its function.
  void Count(int32_t case_index, const ReachedOp& reached, const std::vector<PlacedAttribute>& attributes);

  // Counts several ops of one block as one, once for every call path to their function. The origin has what the names of
  // the ops have in common, and the place of the first.
  void CountTogether(int32_t case_index, std::span<const ReachedOp> members);

  // The module path of the op on the first call path to its function.
  const std::vector<std::string>& PathOf(const ReachedOp& reached);

  // The (case, origin) pairs, in order of first count.
  std::vector<std::pair<int32_t, Origin>> Take(const std::string& model);

 private:
  struct Group {
    int32_t case_index;
    int32_t op;       // into strings_
    int32_t path;     // into paths_
    int32_t regions;  // into region_lists_
    int32_t notes;    // into notes_
    int64_t count = 0;
    std::vector<int32_t> places;  // into strings_
  };
  struct RegionList {
    std::vector<std::string> labels;
    int64_t trips = 1;  // Origin::trips
    auto operator<=>(const RegionList&) const = default;
  };
  struct Stack {
    int32_t op;
    int32_t path;
    int32_t place;
  };

  void Add(int32_t case_index, const Entry& entry, const Stack& stack, int32_t region, int32_t notes);
  const std::vector<Entry>& EntriesOf(const ReachedOp& reached) const {
    return walk_.functions[static_cast<size_t>(reached.function)].entries;
  }
  int32_t Parsed(mlir::Location location);
  int32_t Outer(int32_t call_path);
  const Stack& Joined(int32_t outer, int32_t inner);
  int32_t Regions(int32_t call_path, int32_t region);
  int32_t Notes(const std::vector<PlacedAttribute>& attributes);
  Stack Intern(const NameStack& stack);
  int32_t InternString(const std::string& text);

  const Walk& walk_;
  std::vector<NameStack> stacks_;
  llvm::DenseMap<mlir::Location, int32_t> parsed_;
  std::vector<int32_t> outer_;  // by call path: index into stacks_, or -1 if not joined yet
  llvm::DenseMap<std::pair<int32_t, int32_t>, Stack> joined_;
  std::vector<std::string> strings_;
  llvm::StringMap<int32_t> string_ids_;
  std::vector<std::vector<std::string>> paths_;
  std::map<std::vector<std::string>, int32_t> path_ids_;
  std::vector<RegionList> region_lists_ = {{}};  // [0]: in no region
  std::map<RegionList, int32_t> region_ids_;
  llvm::DenseMap<std::pair<int32_t, int32_t>, int32_t> joined_regions_;
  std::vector<std::vector<PlacedAttribute>> notes_ = {{}};  // [0]: no attributes
  std::map<std::vector<PlacedAttribute>, int32_t> note_ids_;
  llvm::DenseMap<std::pair<std::pair<int32_t, int32_t>, std::pair<int32_t, uint64_t>>, size_t> group_ids_;
  std::vector<Group> groups_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_WALK_ORIGINS_H_
