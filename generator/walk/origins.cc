// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/walk/origins.h"

#include <algorithm>

namespace opbyop::generator {
namespace {

constexpr int32_t kNoOuter = -2;  // in the entry function: there is no outer name stack

}  // namespace

void OriginTable::Count(int32_t case_index, const ReachedOp& reached, const std::vector<PlacedAttribute>& attributes) {
  const int32_t notes = Notes(attributes);
  int32_t inner = Parsed(reached.op->getLoc());
  for (const Entry& entry : EntriesOf(reached)) {
    Add(case_index, entry, Joined(Outer(entry.path), inner), reached.region, notes);
  }
}

void OriginTable::CountTogether(int32_t case_index, std::span<const ReachedOp> members) {
  const std::vector<Entry>& entries = EntriesOf(members.front());
  for (size_t i = 0; i < entries.size(); ++i) {
    // All ops of a block have the call paths of its function, in one order, with those of the calls that were replaced.
    const auto stack_of = [&](const ReachedOp& reached) {
      return Joined(Outer(EntriesOf(reached)[i].path), Parsed(reached.op->getLoc()));
    };
    NameStack common;
    const Stack first = stack_of(members.front());
    common.path = paths_[static_cast<size_t>(first.path)];
    common.place = strings_[static_cast<size_t>(first.place)];
    for (const ReachedOp& reached : members.subspan(1)) {
      const std::vector<std::string>& path = paths_[static_cast<size_t>(stack_of(reached).path)];
      common.path.erase(std::ranges::mismatch(common.path, path).in1, common.path.end());
    }
    Add(case_index, entries[i], Intern(common), members.front().region, 0);
  }
}

const std::vector<std::string>& OriginTable::PathOf(const ReachedOp& reached) {
  const Entry& entry = EntriesOf(reached).front();
  return paths_[static_cast<size_t>(Joined(Outer(entry.path), Parsed(reached.op->getLoc())).path)];
}

void OriginTable::Add(int32_t case_index, const Entry& entry, const Stack& stack, int32_t region, int32_t notes) {
  uint64_t names = (static_cast<uint64_t>(stack.op) << 32) | static_cast<uint32_t>(stack.path);
  int32_t regions = Regions(entry.path, region);
  auto [it, is_new] = group_ids_.try_emplace({{case_index, regions}, {notes, names}}, groups_.size());
  if (is_new) groups_.push_back({case_index, stack.op, stack.path, regions, notes});
  Group& group = groups_[it->second];
  group.count += entry.count;
  if (group.places.size() < Origin::kMaxLocations && !strings_[stack.place].empty() &&
      std::find(group.places.begin(), group.places.end(), stack.place) == group.places.end()) {
    group.places.push_back(stack.place);
  }
}

std::vector<std::pair<int32_t, Origin>> OriginTable::Take(const std::string& model) {
  std::vector<std::pair<int32_t, Origin>> origins;
  origins.reserve(groups_.size());
  for (const Group& group : groups_) {
    Origin origin{.model = model,
                  .count = group.count,
                  .framework_op = strings_[group.op],
                  .module_path = paths_[group.path],
                  .regions = region_lists_[group.regions].labels,
                  .trips = region_lists_[group.regions].trips,
                  .attributes = notes_[group.notes]};
    for (int32_t place : group.places) origin.locations.push_back(strings_[place]);
    origins.emplace_back(group.case_index, std::move(origin));
  }
  return origins;
}

int32_t OriginTable::Parsed(mlir::Location location) {
  auto [it, is_new] = parsed_.try_emplace(location, static_cast<int32_t>(stacks_.size()));
  if (is_new) stacks_.push_back(ParseLocation(location));
  return it->second;
}

// In Walk::paths, call paths of callers come before those of their callees, but a call path may be requested before its
// parent: the chain is followed up, then joined on the way down.
int32_t OriginTable::Outer(int32_t call_path) {
  if (call_path == CallPath::kEntry) return kNoOuter;
  std::vector<int32_t> open;
  int32_t at = call_path;
  while (at != CallPath::kEntry && outer_[at] < 0) {
    open.push_back(at);
    at = walk_.paths[at].parent;
  }
  int32_t outer = at == CallPath::kEntry ? kNoOuter : outer_[at];
  for (auto it = open.rbegin(); it != open.rend(); ++it) {
    int32_t site = Parsed(walk_.paths[*it].call_site);
    if (outer != kNoOuter) {
      stacks_.push_back(Inside(stacks_[outer], stacks_[site]));
      site = static_cast<int32_t>(stacks_.size()) - 1;
    }
    outer = outer_[*it] = site;
  }
  return outer;
}

const OriginTable::Stack& OriginTable::Joined(int32_t outer, int32_t inner) {
  auto [it, is_new] = joined_.try_emplace({outer, inner});
  if (is_new) it->second = Intern(outer == kNoOuter ? stacks_[inner] : Inside(stacks_[outer], stacks_[inner]));
  return it->second;
}

// The regions on the call path to the function, then those around the op in it.
int32_t OriginTable::Regions(int32_t call_path, int32_t region) {
  if (walk_.regions.size() == 1) return 0;
  auto [place, is_new] = joined_regions_.try_emplace({call_path, region}, 0);
  if (!is_new) return place->second;
  RegionList list;  // innermost first
  auto add = [&](int32_t at) {
    for (; at != WalkedRegion::kNone; at = walk_.regions[at].parent) {
      list.labels.push_back(walk_.regions[at].label);
      if (__builtin_mul_overflow(list.trips, walk_.regions[at].trips, &list.trips) || list.trips > kMostOps) {
        list.trips = 0;
      }
    }
  };
  add(region);
  for (int32_t at = call_path; at != CallPath::kEntry; at = walk_.paths[at].parent) add(walk_.paths[at].region);
  std::ranges::reverse(list.labels);
  if (list.labels.empty()) return 0;
  auto [it, first] = region_ids_.try_emplace(list, static_cast<int32_t>(region_lists_.size()));
  if (first) region_lists_.push_back(std::move(list));
  return place->second = it->second;
}

int32_t OriginTable::Notes(const std::vector<PlacedAttribute>& attributes) {
  if (attributes.empty()) return 0;
  const auto [it, is_new] = note_ids_.try_emplace(attributes, static_cast<int32_t>(notes_.size()));
  if (is_new) notes_.push_back(attributes);
  return it->second;
}

OriginTable::Stack OriginTable::Intern(const NameStack& stack) {
  auto [it, is_new] = path_ids_.try_emplace(stack.path, static_cast<int32_t>(paths_.size()));
  if (is_new) paths_.push_back(stack.path);
  return {InternString(stack.op), it->second, InternString(stack.place.empty() ? stack.name : stack.place)};
}

int32_t OriginTable::InternString(const std::string& text) {
  auto [it, is_new] = string_ids_.try_emplace(text, static_cast<int32_t>(strings_.size()));
  if (is_new) strings_.push_back(text);
  return it->second;
}

}  // namespace opbyop::generator
