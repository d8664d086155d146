// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The processes of a StableHLO program (replicas x partitions), their groups, and how they exchange values.
//
//   RunningGrid grid(2, 1);
//   std::vector<ProcessGroup> groups = grid.CrossReplica({{0, 1}});
//   // in a task of grid.tasks(), for each member of the group:
//   Expected<std::shared_ptr<CollectiveExecution>> execution = grid.Exchange(me, group, "all_gather on channel 0", operands);
//   (*execution)->brought;   // the operands of all members, in the order of the group
#ifndef OPBYOP_REFERENCE_GRID_RUNNING_GRID_H_
#define OPBYOP_REFERENCE_GRID_RUNNING_GRID_H_

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/replica_groups.h"
#include "reference/grid/task_set.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

struct ProcessId {
  int64_t replica = 0;
  int64_t partition = 0;
  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
};
using ProcessGroup = std::vector<ProcessId>;

std::string NameOf(const ProcessId& id);  // "process (1, 0)"

// One execution of a collective op by one group, from the arrival of its first member.
struct CollectiveExecution {
  std::string what;
  ProcessGroup group;
  std::vector<std::optional<TupleValue>> brought;  // by position in the group
  std::optional<TupleValue> joint;                 // what all members share; the first that needs it computes it
  size_t arrived = 0;
  bool complete() const { return arrived == group.size(); }
};

class RunningGrid {
 public:
  RunningGrid(int64_t replicas, int64_t partitions) : replicas_(replicas), partitions_(partitions) {}

  // A grid of a single process, for a program that is run by itself.
  static std::shared_ptr<RunningGrid> Alone();
  bool alone() const { return alone_; }

  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  bool Has(const ProcessId& id) const;
  TaskSet& tasks() { return tasks_; }

  // The specification's four ways to split the grid into process groups. Negative ids are padding of ragged groups. If
  // there are no groups, all processes are one group.
  std::vector<ProcessGroup> CrossReplica(const IdGroups& groups) const;
  std::vector<ProcessGroup> CrossPartition(const IdGroups& groups) const;
  std::vector<ProcessGroup> CrossReplicaAndPartition(const IdGroups& groups) const;
  std::vector<ProcessGroup> FlattenedIds(const IdGroups& groups) const;

  // The groups that something states, read in some way: the first process that needs them keeps them for the others.
  using GroupsKey = std::pair<const void*, int>;
  const std::vector<ProcessGroup>* FindGroups(const GroupsKey& key) const;  // nullptr: none were kept
  const std::vector<ProcessGroup>* KeepGroups(const GroupsKey& key, std::vector<ProcessGroup> groups);

  // Waits until every member of `group` has called Exchange() with the same `what`, and returns the values of all.
  // The n-th call of one member belongs to the n-th calls of the others.
  Expected<std::shared_ptr<CollectiveExecution>> Exchange(const ProcessId& me, const ProcessGroup& group,
                                                          const std::string& what, TupleValue values);

  // Messages with the same key are received in the order in which they were posted. Post() never waits.
  void Post(const std::string& key, TupleValue values);
  Expected<TupleValue> Receive(const ProcessId& me, const std::string& key, const std::string& what);

  // Sets the functions that supply the infeed, one item each, in order. The whole grid shares one queue.
  void SetInfeed(std::deque<std::string> functions) { infeed_ = std::move(functions); }
  std::optional<std::string> NextInfeed();
  // The values passed to outfeed ops, in order.
  std::vector<TupleValue>& outfeed() { return outfeed_; }

  void MarkEnded(const ProcessId& id) { ended_[id] = true; }

 private:
  int64_t replicas_;
  int64_t partitions_;
  bool alone_ = false;
  TaskSet tasks_;
  std::map<std::pair<std::string, ProcessGroup>, std::deque<std::shared_ptr<CollectiveExecution>>> open_;
  std::map<GroupsKey, std::vector<ProcessGroup>> groups_;
  std::map<std::string, std::deque<TupleValue>> posted_;
  std::deque<std::string> infeed_;
  std::vector<TupleValue> outfeed_;
  std::map<ProcessId, bool> ended_;
};

// One process as its evaluator sees it.
struct GridProcess {
  std::shared_ptr<RunningGrid> grid;
  ProcessId id;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_GRID_RUNNING_GRID_H_
