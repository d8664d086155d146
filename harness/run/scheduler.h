// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs cases ahead of those who wait for them: one slot per core, each with its warm workers.
//
//   Scheduler scheduler(context, jobs);
//   Expected<Hello> hello = scheduler.Start();           // workers are up; an error where none comes up
//   scheduler.Go(cases, sink);                           // in the order in which they will be awaited
//   std::shared_ptr<const CaseRecord> record = scheduler.Await(*cases[0]);
//   scheduler.Stop();
//
// `sink` is called once per case as it ends, one call at a time, from a slot's thread; and again where a later case
// shows that it spoils others, with `Kind::kAmended`. A slot whose workers cannot be
// started any more gives its cases back and tries again, with pauses, a limited number of times; as long as one slot
// lives the cases go there. When the last one has given up, what is left is `missing` with its reason.
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

#include "harness/slot/slot.h"

namespace opbyop::harness {

class Scheduler {
 public:
  enum class Kind { kEnded, kAmended };
  // What it changes of the record is changed for all.
  using Sink = std::function<Expected<void>(CaseRecord&, Kind)>;

  // At most `jobs` target workers work at once, in `slots` slots (0: as many as jobs). What `context` points to must
  // outlive the scheduler.
  Scheduler(const SlotContext& context, int jobs, int slots = 0);
  ~Scheduler();  // Stop

  // Starts the workers of all slots; returns when the first slot is ready or none will be.
  Expected<protocol::Hello> Start();

  // Takes the cases up. Those in `known` (of a resumed run) are answered from there.
  void Go(const std::vector<const Case*>& cases, Sink sink, std::vector<CaseRecord> known = {});

  // The record of a case; `missing` with the reason where it could not be run. nullptr when `limit` is over
  // first: the caller may show progress and ask again.
  std::shared_ptr<const CaseRecord> Await(const Case& c, std::chrono::milliseconds limit);

  // Nobody asks for the record of this case any more: of a large run only those that are awaited are kept.
  void Forget(const Case& c);

  // Cancels what has not begun and ends the workers. Await answers `missing` from then on.
  void Stop(const std::string& reason = "the run was stopped");

  struct Progress {
    size_t total = 0;
    size_t done = 0;
    size_t known = 0;  // of `done`: taken from an earlier run
    double seconds = 0;
  };
  Progress progress() const;

  // What happened to the run as a whole: a worker that was replaced by one of another version, which got no case.
  std::vector<std::string> events() const;

  // Why the run cannot go on, where it cannot.
  std::optional<Error> fatal() const;

  // Whether that is because the device did not come back.
  bool device_lost() const { return device_state_.lost().has_value(); }

 private:
  void RunSlot(int index);
  // Counts the slot in as started or not; false where no slot has started.
  bool Enter(const Slot& slot, const Expected<void>& started);
  // What is to be run next. Waits while nothing is, but a case under way may come back; empty at the end of the run.
  std::vector<const Case*> Next();
  // Runs the cases; those that are without a record then go back to the queue. How many have one.
  size_t RunCases(Slot& slot, const std::vector<const Case*>& cases, Expected<void>& ran);
  // Waits before restart number `restart` of a slot. False where the run is over meanwhile.
  bool PauseBeforeRestart(int restart);
  // The slot is lost for good.
  void Leave(const Error& reason, int restarts);
  // Under the lock: nothing is left to run.
  bool Over() const { return stopping_ || fatal_ || (queue_.empty() && running_ == 0); }
  void Finish(CaseRecord record);
  void Amend(CaseRecord record);
  // Under the lock: an event that is known already is told once.
  void Note(const std::string& event);
  // Under the lock: nothing more will be run.
  void GiveUp(Error error);

  std::counting_semaphore<> permits_;
  DeviceState device_state_;
  SlotContext context_;
  ReplayBudget replay_budget_;
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
  std::deque<const Case*> queue_;
  size_t running_ = 0;  // cases that slots have taken from the queue
  std::unordered_map<std::string, std::shared_ptr<const CaseRecord>> records_;
  Progress progress_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SCHEDULER_H_
