// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/grid/running_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace opbyop::reference {
namespace {

// Returns `groups`, or the single group 0..n-1 if there are none.
IdGroups OrAll(const IdGroups& groups, int64_t n) {
  if (std::ranges::any_of(groups, [](const auto& group) { return !group.empty(); })) return groups;
  std::vector<int64_t> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), int64_t{0});
  return {all};
}

// Makes one process group per id group. add(ids, group) fills it.
template <typename Add>
std::vector<ProcessGroup> Each(const IdGroups& groups, Add&& add) {
  std::vector<ProcessGroup> out;
  for (const std::vector<int64_t>& ids : groups) add(ids, out);
  return out;
}

}  // namespace

std::string NameOf(const ProcessId& id) { return fmt::format("process ({}, {})", id.replica, id.partition); }

std::shared_ptr<RunningGrid> RunningGrid::Alone() {
  auto grid = std::make_shared<RunningGrid>(1, 1);
  grid->alone_ = true;
  return grid;
}

bool RunningGrid::Has(const ProcessId& id) const {
  return id.replica >= 0 && id.replica < replicas_ && id.partition >= 0 && id.partition < partitions_;
}

std::vector<ProcessGroup> RunningGrid::CrossReplica(const IdGroups& groups) const {
  return Each(OrAll(groups, replicas_), [&](const std::vector<int64_t>& ids, std::vector<ProcessGroup>& out) {
    for (int64_t p = 0; p < partitions_; ++p) {
      ProcessGroup& group = out.emplace_back();
      for (const int64_t r : ids) {
        if (r >= 0) group.push_back({r, p});
      }
    }
  });
}

std::vector<ProcessGroup> RunningGrid::CrossPartition(const IdGroups& groups) const {
  return Each(OrAll(groups, partitions_), [&](const std::vector<int64_t>& ids, std::vector<ProcessGroup>& out) {
    for (int64_t r = 0; r < replicas_; ++r) {
      ProcessGroup& group = out.emplace_back();
      for (const int64_t p : ids) {
        if (p >= 0) group.push_back({r, p});
      }
    }
  });
}

std::vector<ProcessGroup> RunningGrid::CrossReplicaAndPartition(const IdGroups& groups) const {
  return Each(OrAll(groups, replicas_), [&](const std::vector<int64_t>& ids, std::vector<ProcessGroup>& out) {
    ProcessGroup& group = out.emplace_back();
    for (int64_t p = 0; p < partitions_; ++p) {
      for (const int64_t r : ids) {
        if (r >= 0) group.push_back({r, p});
      }
    }
  });
}

std::vector<ProcessGroup> RunningGrid::FlattenedIds(const IdGroups& groups) const {
  return Each(OrAll(groups, replicas_ * partitions_),
              [&](const std::vector<int64_t>& ids, std::vector<ProcessGroup>& out) {
                ProcessGroup& group = out.emplace_back();
                for (const int64_t id : ids) {
                  if (id >= 0) group.push_back({id / partitions_, id % partitions_});
                }
              });
}

const std::vector<ProcessGroup>* RunningGrid::FindGroups(const GroupsKey& key) const {
  const auto known = groups_.find(key);
  return known == groups_.end() ? nullptr : &known->second;
}

const std::vector<ProcessGroup>* RunningGrid::KeepGroups(const GroupsKey& key, std::vector<ProcessGroup> groups) {
  return &groups_.insert_or_assign(key, std::move(groups)).first->second;
}

Expected<std::shared_ptr<CollectiveExecution>> RunningGrid::Exchange(const ProcessId& me, const ProcessGroup& group,
                                                                     const std::string& what, TupleValue values) {
  const auto position = static_cast<size_t>(std::ranges::find(group, me) - group.begin());
  if (position == group.size()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} is not in the group that meets in {}", NameOf(me), what));
  }
  std::deque<std::shared_ptr<CollectiveExecution>>& queue = open_[{what, group}];
  auto found = std::ranges::find_if(queue, [&](const auto& m) { return !m->brought[position]; });
  if (found == queue.end()) {
    auto opened = std::make_shared<CollectiveExecution>();
    opened->what = what;
    opened->group = group;
    opened->brought.resize(group.size());
    queue.push_back(std::move(opened));
    found = std::prev(queue.end());
  }
  std::shared_ptr<CollectiveExecution> execution = *found;
  execution->brought[position] = std::move(values);
  ++execution->arrived;
  if (execution->complete()) queue.erase(found);
  const Expected<void> waited = tasks_.WaitUntil([execution] { return execution->complete(); },
                                                 [this, execution] {
                                                   std::string missing;
                                                   for (size_t i = 0; i < execution->group.size(); ++i) {
                                                     if (execution->brought[i]) continue;
                                                     const ProcessId& id = execution->group[i];
                                                     missing +=
                                                         fmt::format("{}{}{}", missing.empty() ? "" : ", ", NameOf(id),
                                                                     !Has(id)              ? " (which does not exist)"
                                                                     : ended_.contains(id) ? " (which has ended)"
                                                                                           : "");
                                                   }
                                                   return fmt::format("{} in {}", missing, execution->what);
                                                 });
  if (!waited) return Unexpected(waited.error());
  return execution;
}

void RunningGrid::Post(const std::string& key, TupleValue values) { posted_[key].push_back(std::move(values)); }

Expected<TupleValue> RunningGrid::Receive(const ProcessId& me, const std::string& key, const std::string& what) {
  std::deque<TupleValue>& queue = posted_[key];
  const Expected<void> there = tasks_.WaitUntil([&queue] { return !queue.empty(); }, [what] { return what; });
  if (!there) return Unexpected(there.error());
  TupleValue values = std::move(queue.front());
  queue.pop_front();
  return values;
}

std::optional<std::string> RunningGrid::NextInfeed() {
  if (infeed_.empty()) return std::nullopt;
  std::string next = std::move(infeed_.front());
  infeed_.pop_front();
  return next;
}

}  // namespace opbyop::reference
