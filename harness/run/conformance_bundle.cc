// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run in two halves on two machines: `--until=compile` makes a bundle, `--from=load` executes it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/bundle/make_bundle.h"
#include "harness/inputs/fresh_draw.h"
#include "harness/run/conformance_run.h"
#include "harness/run/run_header.h"
#include "harness/worker/verdict.h"
#include "manifests/results/set_name.h"
#include "manifests/runs/shard_files.h"
#include "support/files/file.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {

namespace fs = std::filesystem;

Expected<void> ConformanceRun::BeginBundle() {
  if (!setup_.compiles_only()) return {};
  return IsBundle(setup_.options.out) ? Expected<void>() : harness::BeginBundle(setup_.options.out);
}

// `kept` are the records of an earlier run that is resumed. A case whose artifact is missing is compiled again.
Expected<void> ConformanceRun::FillBundle(std::vector<CaseRecord>& kept) {
  std::erase_if(kept, [&](const CaseRecord& record) {
    return CompiledRun::MayExecute(record) && !setup_.artifacts->Check(record);
  });
  setup_.artifacts->KeepOnly(kept);
  const Expected<void> made = MakeBundle({.folder = setup_.options.out,
                                          .manifest = &setup_.manifest,
                                          .target = &setup_.target,
                                          .policies = setup_.policies,
                                          .seed = setup_.options.seed,
                                          .fresh_seed = FreshSeedOfBundle(!kept.empty()),
                                          .baseline = setup_.baseline_file});
  if (made) NotePrivateFiles();
  return made;
}

// The run starts with its compilation: all of its shards get this seed, wherever they are executed.
std::string ConformanceRun::FreshSeedOfBundle(bool goes_on) const {
  if (setup_.manifest.is_whole() || FreshPolicy(setup_.policies) == nullptr) return "";
  if (!setup_.options.fresh_seed.empty()) return setup_.options.fresh_seed;
  // A run that is resumed on another day keeps its seed.
  const Expected<Bundle> before = LoadBundle(setup_.options.out);
  if (goes_on && before && !before->fresh_seed.empty()) return before->fresh_seed;
  return FreshSeedText(FreshSeedOfDay(NowMicroseconds()));
}

// Names files of the bundle that hold private values. The other half needs the files as they are, so nothing is
// replaced.
void ConformanceRun::NotePrivateFiles() {
  std::error_code error;
  for (const char* part : {"target", "policies", "baseline.yaml"}) {
    std::vector<fs::path> files = {setup_.options.out / part};
    for (const auto& entry : fs::directory_iterator(setup_.options.out / part, error)) files.push_back(entry.path());
    for (const fs::path& file : files) {
      const Expected<std::string> text = ReadFile(file);
      if (!text) continue;
      std::string shown = *text;
      setup_.private_values.HideUncountedIn(shown);
      if (shown == *text) continue;
      note_ += fmt::format(
          "{}{} holds the value of an environment variable and is part of the bundle: name the variable "
          "there, as {{env:NAME}}",
          note_.empty() ? "" : "; ", file.string());
    }
  }
}

// Drops results of artifacts that have been compiled again since: those cases are executed again.
void ConformanceRun::DropStale(std::vector<CaseRecord>& kept) const {
  std::erase_if(kept, [&](const CaseRecord& record) {
    const CaseRecord* compiled = setup_.compiled->Find(record.id);
    return compiled == nullptr || compiled->artifact_sha256 != record.artifact_sha256 ||
           compiled->program_sha256 != record.program_sha256;
  });
}

}  // namespace opbyop::harness
