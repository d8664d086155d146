// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One execution slot: a target worker and a reference worker, warm, and the life of one case in both.
//
//   Slot slot(0, context);
//   if (Expected<void> ready = slot.StartWorkers(); !ready) ...
//   Expected<CaseRecord> record = slot.Run(c);     // an error only where workers cannot be started any more
//
// A case: inputs (reference) beside compile (target), then load and execute (target), then compare
// (reference); these again on the inputs of every further policy (harness/inputs/input_set.h). A case whose worker
// dies, or that the device fails or computes wrongly, is run once more alone in fresh workers: what passes then is
// flaky. Slots live and die in one thread each. Where it failed only among others, the cases before it are run with it
// again, until the one that spoils it is known (harness/slot/replay.h).
#ifndef OPBYOP_HARNESS_SLOT_SLOT_H_
#define OPBYOP_HARNESS_SLOT_SLOT_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/inputs/input_seed.h"
#include "harness/inputs/input_set.h"
#include "harness/slot/replay.h"
#include "harness/worker/permit.h"
#include "harness/worker/recover.h"
#include "harness/worker/scratch.h"
#include "harness/worker/target_client.h"
#include "harness/worker/worker.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

class ArtifactStore;
class CompiledRun;
class ValidCounterparts;

// What all slots of a run share.
struct SlotContext {
  const Target* target = nullptr;
  std::string compile_only;               // the worker that came up first has no device, and why
  std::filesystem::path manifest_folder;  // case files are relative to it
  WorkerSpec target_worker;
  WorkerSpec reference_worker;
  std::vector<RunPolicy> policies = {RunPolicy()};
  bool second_draw = false;  // a case that all policies give the same inputs gets those of the first drawn again
  uint64_t seed = 0;
  // The seed of one further draw of FreshPolicy(), which is known before the first case begins
  // (harness/run/fresh_seed.h). There is no such draw if the pointer is null or has no seed.
  const std::optional<uint64_t>* fresh_seed = nullptr;
  protocol::Repeat repeat = {1, 10, 20};  // of the first set; on the others a case is executed once
  int retries = 1;                        // further attempts of a case that may pass then
  int restarts = 8;                       // of a slot whose workers do not start, until one of its cases has a record
  std::chrono::milliseconds restart_pause{100};  // before the first of them; doubles up to 3 s
  int recycle_after = 5000;                      // requests after which a worker is replaced
  int64_t recycle_growth_mb = 2048;              // resident growth since its first cases after which it is replaced
  std::filesystem::path keep;                    // where not empty: every case's folder stays there, with intermediates
  Scratch* scratch = nullptr;
  DeviceState* device_state = nullptr;  // never null in a Scheduler's slots
  std::chrono::milliseconds replay_time = kReplayTime;
  ReplayBudget* replay_budget = nullptr;  // of all slots; nullptr: no case is run again to find what spoils it
  // Whether a row of the case is red when it ends so; empty: it is. What is known to be flaky is not looked into.
  std::function<bool(const Case&, const CaseRecord&)> is_red;
  // Takes the record of a case that had one already, and turned out to spoil another.
  std::function<void(CaseRecord)> amend;
  // Takes what makes the run as a whole red.
  std::function<void(const std::string&)> notice;
  // What the first workers of the run said of themselves: no other gets a case.
  std::optional<protocol::Hello> target_hello;
  std::optional<protocol::Hello> reference_hello;
  std::mutex* device = nullptr;                  // held while a case is on a device that is not parallel
  std::counting_semaphore<>* permits = nullptr;  // one is held from compile to execute; nullptr: no limit
  // The command that runs a case again.
  std::function<std::string(const Case&, const ToRepeat& repeat)> repro;
  std::function<std::string(const Case&)> after;  // the stage that made the case's file; empty: none, as where unset
  // The id of a smaller case on which the sets after the first are judged; empty: there is none, as where unset.
  std::function<std::string(const Case&)> smaller_twin;
  std::function<bool(const Case&)> batchable;  // may share a module with others; empty: no case may
  ValidCounterparts* valid_twins = nullptr;    // of programs that must be refused; may be null
  const Target* second_target = nullptr;       // asked about cases that fail on the device; may be null
  WorkerSpec second_worker;

  // For bundles (manifests/runs/bundle.h): a run that only compiles leaves its artifacts in `saves`, and a run that
  // only executes takes them from `compiled`. Both are nullptr in a run that does both.
  const ArtifactStore* saves = nullptr;
  const CompiledRun* compiled = nullptr;
  std::string processor;  // of this machine, for what another compiled
};

class Slot {
 public:
  Slot(int index, const SlotContext& context);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot();

  // Both workers up and ready; starts those that are not.
  Expected<void> StartWorkers();

  // Where a case stands among those of this slot: it has a number, and the workers that it began with have theirs.
  struct Standing {
    int64_t number = 0;
    int target = 0;
    int reference = 0;
  };

  // How a case failed in a batch, and what had been run before it.
  struct Failed {
    CaseRecord record;
    Standing standing;
  };

  Expected<CaseRecord> Run(const Case& c, std::optional<Failed> in_batch = std::nullopt);

  // The records of all cases, each as it is known. Compiles them as functions of one module; what does not go well
  // so runs alone (harness/slot/batch.h). An error leaves cases without a record.
  Expected<void> RunBatch(std::span<const Case* const> cases, const std::function<void(CaseRecord)>& sink);

  const protocol::Hello& target_hello() const { return target_.hello(); }
  const protocol::Hello& reference_hello() const { return reference_.hello(); }

 private:
  struct Attempt;

  std::vector<std::filesystem::path> MakeFolders() const;
  // Gives the folders what a worker may have taken from them. Only between cases.
  void RestoreFolders();
  WorkerSpec Restricted(const WorkerSpec& spec, const Target* target, std::string_view temporary) const;
  std::vector<std::string> CompileStagesOf(const Case& c) const;
  bool executes() const;
  Expected<void> EnsureWorkers();
  // Whether they are what this run began with.
  Expected<void> CheckHellos() const;
  // Another process in the place of one that died, if it is of the same version.
  bool Renew(Worker& worker);
  bool keeps_folders() const { return !context_.keep.empty() && !replaying_; }

  // For cases that fail only among others (harness/slot/slot_replay.cc).
  Standing standing() const { return {next_number_, target_.launches(), reference_.launches()}; }
  void Remember(const Case& c, const CaseRecord& record);
  void LookForSpoiler(const Case& c, const CaseRecord& first, const Standing& standing, CaseRecord& record);
  Replayed RunAgain(std::span<const Case* const> before, const Case& c, const CaseRecord& first, int times);
  std::optional<CaseRecord> RunInReplay(const Case& c);
  CaseRecord RunOnce(const Case& c);
  Expected<ScratchDir> MakeScratch(const Case& c);
  Answer CompileBatch(std::span<const Case* const> cases);
  // The answer to what was sent. Where the worker died before it read any of it, another is asked, with `request` made
  // anew: what it died of cannot be the case, which has not been attempted.
  Answer AwaitAnswer(Worker& worker, const std::function<protocol::Request()>& request, std::string_view first_stage);
  // nullopt where the worker that holds the batch died before it read of this member.
  std::optional<CaseRecord> RunMember(const Case& c, const Answer& compiled, size_t size);
  void Finish(const Case& c, CaseRecord& record);
  std::string ReproOf(const Case& c, const CaseRecord& record) const;
  Attempt MakeAttempt(const Case& c, CaseRecord record = {}) const;
  // `target`: the run's own or the second.
  protocol::Request MakeRequest(const Attempt& attempt, std::string verb, const Target& target) const;
  protocol::Request MakeCompareRequest(const Attempt& attempt, const Target& target) const;
  void RunStages(Attempt& attempt, Permit& permit);
  void CompileBesideInputs(Attempt& attempt, Permit& permit);
  void Release(Attempt& attempt);

  // A program that must be refused (harness/slot/slot_refused.cc).
  void RunRefused(Attempt& attempt, Permit& permit);
  std::string CompileValidTwin(const Attempt& attempt);

  // The halves of a bundle (harness/slot/slot_bundle.cc).
  void SaveArtifact(const Answer& compiled, Attempt& attempt) const;
  void TakeCompiled(Attempt& attempt);
  // The record of a case that its compilation ended.
  std::optional<CaseRecord> EndedBefore(const Case& c) const;

  // On the sets of inputs, one after the other (harness/slot/slot_sets.cc). `drawn`: what `inputs` answered for the
  // first.
  void RunSets(Attempt& attempt, Answer drawn, Permit& permit);
  // What is run of an attempt on one set of inputs, and what was drawn for it.
  Attempt MakeSet(const Attempt& attempt, const RunPolicy& policy, std::string name) const;
  void TakeInputs(const Answer& drawn, Attempt& set) const;
  // On the inputs of one more draw, from a seed of the run's own.
  void RunFreshDraw(Attempt& attempt, std::vector<std::vector<std::string>>& executed, Permit& permit);
  Answer Draw(const Attempt& set, std::span<const RunPolicy> earlier = {});
  void RunSet(Attempt& set, const protocol::Repeat& repeat, Permit& permit);
  // Notes that the sets after this one are left out: the reference had no time or no memory for it.
  void SkipSetsAfter(size_t last, const std::string& name, Attempt& attempt) const;
  void ClearForNextSet(const Attempt& last) const;
  void Execute(Attempt& attempt, const protocol::Repeat& repeat);
  void Compare(Attempt& attempt);
  Differential RunOnSecondTarget(const Attempt& attempt);
  void RecycleWorkers();

  // After a death on the device: the target's `recover` and `health` commands. Where it stays down the record says so
  // and the device is lost to all slots.
  void RecoverDevice(CaseRecord& record);
  // A program that fails on a device of the worker's own memory may have written to any of it: the next case has a
  // fresh worker.
  void StopWhereItMayBeCorrupted(const CaseRecord& record);
  std::optional<Error> LostDevice() const;

  int index_;
  const SlotContext& context_;
  std::string name_;                            // of its folders in the scratch
  std::vector<std::filesystem::path> folders_;  // where alone its workers may write
  Worker target_;
  Worker reference_;
  std::optional<TargetClient> second_;  // started when it is first asked
  // A case that has ended, and the workers that it left.
  struct Past {
    const Case* c;
    CaseRecord record;
    Standing standing;
  };
  std::deque<Past> past_;  // the last kMostReplayed
  int64_t next_number_ = 0;
  bool replaying_ = false;  // nothing of the case at hand is kept or recorded
  int cases_run_ = 0;
  double waited_ms_ = 0;              // of the current case, for its permit
  int64_t first_rss_kb_[2] = {0, 0};  // of target and reference worker, early in their lives
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_SLOT_H_
