// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The setup of a run of `conformance`: its rows, and the files that its options name, loaded and checked.
//
//   Expected<RunSetup> setup = RunSetup::Load(options);
//   for (const Row& row : setup->rows) ...
//
// Nothing is started and nothing is written yet. `rows` and `all_cases` point into `manifest`, and stay valid when the
// setup is moved.
#ifndef OPBYOP_HARNESS_RUN_RUN_SETUP_H_
#define OPBYOP_HARNESS_RUN_RUN_SETUP_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/bundle/artifact_store.h"
#include "harness/bundle/compiled_run.h"
#include "harness/inputs/input_set.h"
#include "harness/run/options.h"
#include "harness/slot/slot_settings.h"
#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/runs/bundle.h"
#include "manifests/targets/target.h"
#include "support/expected.h"
#include "support/files/file_lock.h"
#include "support/text/private_values.h"

namespace opbyop::harness {

struct RunSetup {
  // The options as given, and completed by a bundle and by the default manifest.
  Options options;
  Manifest manifest;
  Target target;
  std::optional<Target> second_target;
  std::vector<RunPolicy> policies;
  std::optional<Baseline> baseline;
  std::filesystem::path baseline_file;  // empty if there is none
  PrivateValues private_values;         // values that nothing this run leaves may show

  // The rows of this shard that --select matches, in manifest order.
  std::vector<Row> rows;
  std::vector<const Case*> all_cases;  // of this shard, selected or not
  std::string balance;                 // how the shards' cases were assigned; empty if there are no shards
  std::vector<std::string> stages;
  // For models that were split from IR of a stage of this target: the model's name and that stage.
  MadeBy made_by;

  std::optional<Bundle> bundle;            // the bundle that is executed
  std::optional<CompiledRun> compiled;     // its compilation
  std::optional<ArtifactStore> artifacts;  // of the bundle that this run makes

  std::filesystem::path results_path;
  std::optional<FileLock> manifest_lock;  // keeps `split` from rewriting the cases during the run

  static Expected<RunSetup> Load(Options options);

  // True if the run makes a bundle.
  bool compiles_only() const { return !options.until.empty(); }

  // Returns the stage of this target that made the case's IR; empty if none did.
  std::string StageOf(const Case& c) const;

  // The stages that a row must pass, in order: all of the target's, or those after the stage that made the row's file.
  std::vector<std::string> StagesOf(const Row& row) const;
};

// Returns how many target workers may work at once: `asked` (0: one per core), or 1 if the worker keeps its device open
// from case to case and so excludes a second one.
int TargetJobs(const Target& target, int asked, int cores);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RUN_SETUP_H_
