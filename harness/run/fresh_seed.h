// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The seed of a run's further draw of `edge`. All other draws are of the fixed seed, so that nights can be compared;
// this one is another every night, and one for all shards of a run and for whoever goes on with it.
//
//   Expected<std::optional<uint64_t>> seed = ChooseFreshSeed({.given = options.fresh_seed, ...});
//
// It is given, or that of the results that are gone on with, or that of the bundle that is executed, or that of the
// shards that the same run left beside this one, or else the day.
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
  std::filesystem::path results;      // that the run is about to write, or to go on with
  const RunHeader* header = nullptr;  // of the run that begins
  const ResumePlan* plan = nullptr;   // what becomes of the results that are there
  std::string of_bundle;              // that is executed: as in bundle.json
  int64_t now_us = 0;
};

// nullopt for none. kUsage where results of another seed would have to be taken over.
Expected<std::optional<uint64_t>> ChooseFreshSeed(const FreshSeedQuestion& question);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_FRESH_SEED_H_
