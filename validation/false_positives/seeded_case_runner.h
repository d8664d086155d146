// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs right compilers and the reference on one case after the other, with many seeds each.
//
//   SeededCaseRunner runner(settings, scratch);                     // one per thread: it has its own workers
//   Expected<void> done = runner.Run(c, progress, limit_s, [&] { return file.Append(c.id); });
//
// A case is compiled once by each target. Its inputs are drawn once per seed for all targets, and the reference
// evaluates them while the targets do. Inputs that an earlier seed has drawn are not run again.
#ifndef OPBYOP_VALIDATION_FALSE_POSITIVES_SEEDED_CASE_RUNNER_H_
#define OPBYOP_VALIDATION_FALSE_POSITIVES_SEEDED_CASE_RUNNER_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/worker/scratch.h"
#include "harness/worker/target_client.h"
#include "manifests/cases/case.h"
#include "manifests/policies/policy.h"
#include "manifests/targets/target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"
#include "validation/false_positives/progress.h"

namespace opbyop {

struct SeededCaseRunnerSettings {
  std::filesystem::path folder;  // of the manifest
  std::vector<Target> targets;
  InputKind inputs = InputKind::kDomain;
  std::vector<InputKind> earlier;  // policies that run before: a case with the same inputs under one of them is skipped
  int64_t seeds = 200;
  int64_t fewest = 5;  // of every case that is started, whatever the time
};

class SeededCaseRunner {
 public:
  SeededCaseRunner(const SeededCaseRunnerSettings& settings, harness::Scratch& scratch);

  // Continues with the case until its seeds are done or it has taken `limit_s`, but runs `fewest` seeds in all and at
  // least one in this call. `save` is called at the end, and now and then before.
  Expected<void> Run(const Case& c, Progress& progress, double limit_s, const std::function<Expected<void>()>& save);

 private:
  Expected<mlir::Operation*> Load(const Case& c);
  protocol::Request RequestOf(protocol::Verb verb, const Case& c, const harness::TargetClient& device) const;
  Expected<void> Compile(const Case& c, Progress& progress);
  Expected<void> RunSeed(const Case& c, mlir::Operation* entry, uint64_t seed, Progress& progress);
  Expected<reference::Values> ArgumentsOf(const std::vector<reference::InputData>& inputs) const;
  // `others`: alternative results that the target declares as allowed.
  void Judge(const reference::Values& results, reference::AlternativeResults& others, uint64_t seed,
             const Target& target, Tally& tally) const;

  const SeededCaseRunnerSettings& settings_;
  harness::Scratch& scratch_;
  std::vector<std::unique_ptr<harness::TargetClient>> devices_;
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::filesystem::path dir_;
  std::unordered_set<uint64_t> drawn_;  // hashes of the case's inputs so far
  int programs_ = 0;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FALSE_POSITIVES_SEEDED_CASE_RUNNER_H_
