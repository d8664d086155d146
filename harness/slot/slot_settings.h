// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The common knowledge of the slots of a run, in the order in which it becomes known: the settings before any worker
// starts, the start when the first workers have said hello, and the state that the slots share while cases run.
//
//   SlotSettings settings{.target = &target, .manifest_folder = "out/nightly"};
//   SharedState shared{.scratch = scratch.get(), .device = &device};
//   Slot slot(0, settings, start, shared);
#ifndef OPBYOP_HARNESS_SLOT_SLOT_SETTINGS_H_
#define OPBYOP_HARNESS_SLOT_SLOT_SETTINGS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "harness/inputs/input_set.h"
#include "harness/inputs/twins.h"
#include "harness/slot/replay.h"
#include "harness/worker/recover.h"
#include "harness/worker/scratch.h"
#include "harness/worker/worker_spec.h"
#include "manifests/baselines/baseline.h"
#include "manifests/targets/target.h"
#include "protocol/hello.h"
#include "protocol/request.h"

namespace opbyop::harness {

class ArtifactStore;
class CompiledRun;
class ValidCounterparts;

// The stage that made the cases of a model, by the model's name. Models in StableHLO have none.
using MadeBy = std::map<std::string, std::string>;

// The stage that made the case's file; empty if none did.
std::string StageThatMade(const MadeBy& made_by, const Case& c);

struct SlotSettings;
// True if a run with these settings makes a smaller twin of the case, and judges on it the policies after the first.
bool MakesTwin(const Case& c, const SlotSettings& settings);

// A target and the worker that runs it.
struct TargetAndWorker {
  const Target* target = nullptr;
  WorkerSpec worker;
};

// Everything that pointers lead to must outlive the slots.
struct SlotSettings {
  const Target* target = nullptr;
  WorkerSpec target_worker;
  WorkerSpec reference_worker;
  std::optional<TargetAndWorker> second;  // runs cases that fail on the device

  std::filesystem::path manifest_folder;  // case files are relative to it
  MadeBy made_by;
  const Baseline* baseline = nullptr;  // nullptr: every failure is red
  Twins twins;                         // the smaller cases on which the sets after the first are judged

  bool makes_twins = false;  // of large cases that `twins` lacks (harness/inputs/made_twin.h)

  std::vector<RunPolicy> policies = {RunPolicy()};
  // If all policies give a case the same inputs, the first policy is drawn again with another seed.
  bool second_draw = false;
  uint64_t seed = 0;
  protocol::Repeat repeat = {1, 10, 20};  // for the first set; on the others a case is executed once
  int executions = 8;                     // of a program of several devices on the first set, each judged
  int retries = 1;                        // further attempts of a case that may pass then

  // A worker is replaced after this many requests.
  int recycle_after = 5000;
  // A worker is replaced when its resident memory has grown by this much since its first cases.
  int64_t recycle_growth_mb = 2048;
  // If not empty, every case's folder is kept there, with intermediates.
  std::filesystem::path keep;

  // For bundles (manifests/runs/bundle.h). A run that only compiles leaves its artifacts in `saves`; a run that only
  // executes takes them from `compiled`. Both are nullptr in a run that compiles and executes.
  const ArtifactStore* saves = nullptr;
  const CompiledRun* compiled = nullptr;
  std::string processor;  // of this machine; compared with that of the machine that compiled a bundle
};

// Known before the first case starts.
struct RunStart {
  // The hellos of the run's first workers. A worker with another hello gets no case.
  std::optional<protocol::Hello> target;
  std::optional<protocol::Hello> reference;
  std::string compile_only;  // why nothing is executed; empty: cases are executed
  // The seed of the further draw of FreshPolicy() (harness/run/fresh_seed.h). There is none without it.
  std::optional<uint64_t> fresh_seed;
};

// Any of it may be null: then there is no such limit or memory.
struct SharedState {
  Scratch* scratch = nullptr;
  DeviceState* device = nullptr;
  std::counting_semaphore<>* permits = nullptr;  // one is held from compile to execute
  ReplayBudget* replay_budget = nullptr;         // null: no case is run again to find what makes it fail
  ValidCounterparts* valid_twins = nullptr;      // for programs that must be refused
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_SLOT_SETTINGS_H_
