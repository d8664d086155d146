// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the seed of a run's further draw of `edge`. All other draws use the fixed seed, so that nights can be
// compared. This seed changes every night. All shards of a run share it, and so does a run that resumes it.
//
//   Expected<std::optional<uint64_t>> seed = ChooseFreshSeed({.given = options.fresh_seed, ...});
//
// The seed is the first of these that exists: the given one; that of the results that are resumed; that of the bundle
// that is executed; that of other shards of the same run in this folder; the date.
#ifndef OPBYOP_HARNESS_RUN_FRESH_SEED_H_
#define OPBYOP_HARNESS_RUN_FRESH_SEED_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/run/resume.h"
#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop::harness {

struct FreshSeedQuestion {
  std::string given;                  // as on the command line: a number, "none", or empty
  std::filesystem::path results;      // file that the run is about to write or to resume
  const RunHeader* header = nullptr;  // of the run that begins
  const ResumePlan* plan = nullptr;   // what is done with existing results
  std::string of_bundle;              // seed of the bundle that is executed, as in bundle.json
  int64_t now_us = 0;
};

// nullopt for none. kUsage if results of another seed would have to be kept.
Expected<std::optional<uint64_t>> ChooseFreshSeed(const FreshSeedQuestion& question);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_FRESH_SEED_H_
