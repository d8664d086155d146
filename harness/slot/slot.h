// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One execution slot: a warm target worker and a warm reference worker, which run one case at a time.
//
//   Slot slot(0, settings, start, shared);
//   if (Expected<void> ready = slot.StartWorkers(); !ready) ...
//   Expected<CaseRecord> record = slot.Run(c);     // an error only if workers do not start any more
//
// A case runs in this order: the reference draws its inputs while the target compiles; the target loads and executes;
// the reference compares. Execution and comparison are repeated on the inputs of every further policy
// (harness/inputs/input_set.h). A case whose worker dies, or that the device fails or computes wrongly, is run once
// more alone in fresh workers. If it passes then, it is flaky, and the cases before it are run with it again until the
// one that makes it fail is known (harness/slot/replay.h). A slot must be used by one thread only, from its creation to
// its end.
#ifndef OPBYOP_HARNESS_SLOT_SLOT_H_
#define OPBYOP_HARNESS_SLOT_SLOT_H_

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/inputs/input_seed.h"
#include "harness/inputs/input_set.h"
#include "harness/slot/replay.h"
#include "harness/slot/slot_settings.h"
#include "harness/worker/permit.h"
#include "harness/worker/scratch.h"
#include "harness/worker/target_client.h"
#include "harness/worker/worker.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

struct MadeTwin;

class Slot {
 public:
  Slot(int index, const SlotSettings& settings, const RunStart& start, const SharedState& shared);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot();

  // Starts those workers that are not ready. Returns when both are.
  Expected<void> StartWorkers();

  // A moment in the life of this slot: the number of the next case, and the numbers of the workers that run it.
  struct Moment {
    int64_t number = 0;
    int target = 0;
    int reference = 0;
  };

  // How a case failed in a batch, and the moment when it started.
  struct Failed {
    CaseRecord record;
    Moment moment;
  };

  Expected<CaseRecord> Run(const Case& c, std::optional<Failed> in_batch = std::nullopt);

  // Compiles the cases as functions of one module and passes each record to `sink` as soon as it is known. A case that
  // fails in the batch is run again by itself (harness/slot/batch.h). After an error some cases have no record.
  using Sink = std::function<void(const Case&, CaseRecord)>;
  Expected<void> RunBatch(std::span<const Case* const> cases, const Sink& sink);

  struct Amended {
    const Case* c;
    CaseRecord record;
  };
  // Changed records of cases that ended earlier and turned out to make another case fail, since the last call.
  std::vector<Amended> TakeAmended() { return std::exchange(amended_, {}); }
  // Reasons why the run as a whole is red, since the last call.
  std::vector<std::string> TakeNotices() { return std::exchange(notices_, {}); }

  const protocol::Hello& target_hello() const { return target_.hello(); }
  const protocol::Hello& reference_hello() const { return reference_.hello(); }

 private:
  struct Attempt;

  std::vector<std::filesystem::path> MakeFolders() const;
  // Restores what a worker may have changed about the folders. Call it only between cases.
  void RestoreFolders();
  WorkerSpec Restricted(const WorkerSpec& spec, const Target* target, std::string_view temporary) const;
  std::vector<std::string> CompileStagesOf(const Case& c) const;
  bool executes() const;
  Expected<void> EnsureWorkers();
  // Checks that the workers are those that this run started with.
  Expected<void> CheckHellos() const;
  // Replaces a worker that died. False if the new one does not start or has another version.
  bool Renew(Worker& worker);
  bool keeps_folders() const { return !settings_.keep.empty() && !replaying_; }

  // True if a row of the case is red when it ends so.
  bool IsRed(const Case& c, const CaseRecord& record) const;

  // For cases that fail only after others (harness/slot/slot_replay.cc).
  Moment moment() const { return {next_number_, target_.launches(), reference_.launches()}; }
  void Remember(const Case& c, const CaseRecord& record);
  void LookForSpoiler(const Case& c, const CaseRecord& first, const Moment& moment, CaseRecord& record);
  Replayed RunAgain(std::span<const Case* const> before, const Case& c, const CaseRecord& first, int times);
  std::optional<CaseRecord> RunInReplay(const Case& c);
  CaseRecord RunOnce(const Case& c);
  Expected<ScratchDir> MakeScratch(const Case& c);
  Answer CompileBatch(std::span<const Case* const> cases);
  // Waits for the answer to the last request. If the worker died before it read any of it, another worker gets the
  // request from `request()`: the case cannot be the cause, because it was not attempted.
  Answer AwaitAnswer(Worker& worker, const std::function<protocol::Request()>& request, std::string_view first_stage);
  // nullopt if the worker that holds the batch died before it read the request for this member.
  std::optional<CaseRecord> RunMember(const Case& c, const Answer& compiled, size_t size);
  Attempt MakeAttempt(const Case& c, CaseRecord record = {}) const;
  // `target` is the run's own target or the second one.
  protocol::Request MakeRequest(const Attempt& attempt, protocol::Verb verb, const Target& target) const;
  protocol::Request MakeCompareRequest(const Attempt& attempt, const Target& target) const;
  void RunStages(Attempt& attempt, Permit& permit);
  void CompileDuringInputs(Attempt& attempt, Permit& permit);
  void Release(Attempt& attempt);

  // For programs that must be refused (harness/slot/slot_refused.cc).
  void RunRefused(Attempt& attempt, Permit& permit);
  std::string CompileValidTwin(const Attempt& attempt);

  // For bundles (harness/slot/slot_bundle.cc).
  void SaveArtifact(const Answer& compiled, Attempt& attempt) const;
  void TakeCompiled(Attempt& attempt);
  // Returns the record of a case that already ended when it was compiled.
  std::optional<CaseRecord> EndedBefore(const Case& c) const;

  // Runs the case on its sets of inputs, one after the other (harness/slot/slot_sets.cc). `drawn` is the answer to
  // `inputs` for the first set.
  void RunSets(Attempt& attempt, Answer drawn, Permit& permit);
  // Returns the attempt for one set of inputs.
  Attempt MakeSet(const Attempt& attempt, const RunPolicy& policy, std::string name) const;
  void TakeInputs(const Answer& drawn, Attempt& set) const;
  // Makes the smaller twin of a case, with its program in a folder that no worker may write to. nullptr if there is
  // none. The files of its sets are in a folder inside that of the case (harness/slot/slot_twin.cc).
  struct Twin;
  std::unique_ptr<Twin> MakeTwinOf(const Attempt& attempt) const;
  // The same of a case that the reference answered to be too much for it, with a smaller program: all sets run on that.
  std::unique_ptr<Twin> TwinInsteadOf(const Attempt& attempt, const Answer& drawn) const;
  std::unique_ptr<Twin> HouseTwin(MadeTwin made, const Attempt& attempt) const;

  // Runs a set of the case on its twin and joins it. Returns false, and does nothing, if no inputs can be drawn for the
  // twin: the policy is then judged on the case itself.
  bool RunOnTwin(const RunPolicy& policy, std::span<const RunPolicy> earlier, Twin& twin, Attempt& attempt,
                 Permit& permit);
  void JoinTwinSet(Attempt& set, const Twin& twin, Attempt& attempt);
  // Runs the case on the inputs of the further draw, from the run's fresh seed.
  // `program` is the case or its twin.
  void RunFreshDraw(const Attempt& program, Attempt& attempt, std::vector<std::vector<std::string>>& executed,
                    Permit& permit);
  Answer Draw(const Attempt& set, std::span<const RunPolicy> earlier = {});
  void RunSet(Attempt& set, const protocol::Repeat& repeat, Permit& permit);
  // Executes a program of several devices of at most 16 MiB again on the set that was judged last: a race between
  // devices shows at times only. The first execution that is not right decides.
  void ExecuteAgain(Attempt& set, Permit& permit);
  // Notes that the sets after this one are left out, because the reference had no time or no memory for it.
  void SkipSetsAfter(size_t last, const std::string& name, Attempt& attempt) const;
  void ClearForNextSet(const Attempt& last) const;
  void Execute(Attempt& attempt, const protocol::Repeat& repeat);
  void Compare(Attempt& attempt);
  Differential RunOnSecondTarget(const Attempt& attempt);
  void RecycleWorkers();

  // Runs the target's `recover` and `health` commands after a death on the device. If the device stays down, the record
  // says so and no slot uses the device again.
  void RecoverDevice(CaseRecord& record);
  // Stops the target worker after an execution that failed. If the device is the worker's own memory, the program may
  // have written to any of it, so the next case gets a fresh worker.
  void StopWhereItMayBeCorrupted(const CaseRecord& record);
  std::optional<Error> LostDevice() const;

  int index_;
  const SlotSettings& settings_;
  const RunStart& start_;
  const SharedState& shared_;
  std::string name_;                            // of its folders in the scratch
  std::vector<std::filesystem::path> folders_;  // the only ones that its workers may write to
  Worker target_;
  Worker reference_;
  std::optional<TargetClient> second_;  // started when it is first needed
  // A case that has ended, its record, and the moment when it ended.
  struct Past {
    const Case* c;
    CaseRecord record;
    Moment moment;
  };
  std::deque<Past> past_;  // the last kMostReplayed cases
  std::vector<Amended> amended_;
  std::vector<std::string> notices_;
  int64_t next_number_ = 0;
  bool replaying_ = false;  // the current case is neither kept nor recorded
  int cases_run_ = 0;
  double waited_ms_ = 0;              // that the current case spent waiting for its permit
  int64_t first_rss_kb_[2] = {0, 0};  // of target and reference worker, after their first cases
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_SLOT_H_
