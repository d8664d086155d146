// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs cases before they are awaited: one slot per core, each with its warm workers.
//
//   Scheduler scheduler(settings, shared, {.jobs = 4});
//   Expected<Hello> hello = scheduler.Start();           // starts workers; an error if none starts
//   scheduler.Go(cases, sink);                           // in the order in which they will be awaited
//   std::shared_ptr<const CaseRecord> record = scheduler.Await(*cases[0]);
//   scheduler.Stop();
//
// `sink` is called once per case when it ends, one call at a time, from a slot's thread. It is called again with
// `Kind::kAmended` if a later case shows that the case makes others fail. A slot whose workers do not start any more
// returns its cases and tries again, with pauses, a limited number of times. As long as one slot lives it takes the
// cases. When the last slot has given up, the remaining cases are `missing`, with the reason.
#ifndef OPBYOP_HARNESS_RUN_SCHEDULER_H_
#define OPBYOP_HARNESS_RUN_SCHEDULER_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <thread>
#include <unordered_map>
#include <vector>

#include "harness/run/memory_share.h"
#include "harness/slot/slot.h"

namespace opbyop::harness {

struct SchedulerOptions {
  int jobs = 1;   // target workers that work at once
  int slots = 0;  // 0: as many as jobs
  // Bytes for the cases that run at once (harness/run/memory_share.h); 0: no limit.
  int64_t memory = 0;
  // Why the target's device is absent; empty: it is there, or the worker says.
  std::string compile_only = {};
  // How often a slot whose workers do not start tries again before one of its cases has a record.
  int restarts = 8;
  std::chrono::milliseconds restart_pause{100};  // before the first restart; doubles up to 3 s
  // For the search among earlier cases for one that makes another fail, in all slots together.
  std::chrono::milliseconds replay_time = kReplayTime;
};

class Scheduler {
 public:
  enum class Kind { kEnded, kAmended };
  // A change that the sink makes to the record is seen by all.
  using Sink = std::function<Expected<void>(const Case&, CaseRecord&, Kind)>;

  // `settings` and all that it and `shared` point to must outlive the scheduler, which adds to `shared` what is its own:
  // permits, the time for replays and the state of the device.
  Scheduler(const SlotSettings& settings, const SharedState& shared, SchedulerOptions options);
  ~Scheduler();  // Stop

  // Starts the workers of all slots. Returns when the first slot is ready or all have failed.
  Expected<protocol::Hello> Start();

  // Submits the cases. Those in `known` (from a resumed run) have their record already. `fresh_seed` is that of the
  // further draw (RunStart).
  void Go(const std::vector<const Case*>& cases, Sink sink, std::optional<uint64_t> fresh_seed = std::nullopt,
          std::vector<CaseRecord> known = {});

  // Returns the record of a case; `missing` with the reason if it could not be run. Returns nullptr after `limit`: the
  // caller may show progress and ask again.
  std::shared_ptr<const CaseRecord> Await(const Case& c, std::chrono::milliseconds limit);

  // Drops the record of this case, which will not be awaited again. It keeps the memory of a large run small.
  void Forget(const Case& c);

  // Cancels cases that have not started and ends the workers. Await returns `missing` from then on.
  void Stop(const std::string& reason = "the run was stopped");

  struct Progress {
    size_t total = 0;
    size_t done = 0;
    size_t known = 0;  // among `done`: taken from an earlier run
    double seconds = 0;
  };
  Progress progress() const;

  // Events of the run as a whole, such as a worker that was replaced by one of another version and got no case.
  std::vector<std::string> events() const;

  // Why the run cannot continue; nullopt if it can.
  std::optional<Error> fatal() const;

  // True if the run cannot continue because the device did not come back.
  bool device_lost() const { return device_state_.lost().has_value(); }

 private:
  void RunSlot(int index);
  // Counts the slot as started or not. False if no slot has started.
  bool Enter(const Slot& slot, const Expected<void>& started);
  // Returns the next cases that this slot is to run. Waits while nothing is queued but a running case may return. Empty
  // at the end of the run.
  std::vector<const Case*> Next(int slot);
  // Call with the lock held: takes the first case of this queue that fits in memory, null if none does.
  const Case* TakeOne(std::deque<const Case*>& queue);
  // Runs the cases and returns those without a record to the queue. Returns how many have a record.
  size_t RunCases(Slot& slot, const std::vector<const Case*>& cases, Expected<void>& ran);
  // Waits before restart number `restart` of a slot. False if the run has ended meanwhile.
  bool PauseBeforeRestart(int restart);
  // The slot is lost for good.
  void LoseSlot(const Error& reason, int restarts);
  // Call with the lock held: true if nothing is left to run.
  bool Over() const { return stopping_ || fatal_ || (queue_.empty() && costly_.empty() && running_ == 0); }
  void Finish(const Case& c, CaseRecord record);
  // Takes over what the slot found out about the run besides the record of its last case.
  void TakeFindings(Slot& slot);
  // Call with the lock held: adds the event unless it is known already.
  void Note(const std::string& event);
  // Call with the lock held: ends the run, nothing more is started.
  void GiveUp(Error error);

  const SlotSettings& settings_;
  const SchedulerOptions options_;
  std::counting_semaphore<> permits_;
  DeviceState device_state_;
  ReplayBudget replay_budget_;
  SharedState shared_;
  RunStart start_;  // changes until the slots go
  std::vector<std::string> events_;
  const int slots_;
  Sink sink_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  int slots_starting_ = 0;
  int slots_alive_ = 0;
  std::optional<protocol::Hello> hello_;
  std::optional<Error> start_error_;
  std::optional<Error> fatal_;
  bool go_ = false;
  bool stopping_ = false;
  std::deque<const Case*> queue_;   // in the order in which cases are awaited
  std::deque<const Case*> costly_;  // the costliest first
  size_t running_ = 0;              // cases that slots have taken and not finished
  MemoryShare memory_;              // that they share
  std::unordered_map<std::string, std::shared_ptr<const CaseRecord>> records_;
  Progress progress_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SCHEDULER_H_
