// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A made-up run that looks like a real one: for the tests of this room and for looking at the page.
//
//   SampleRun sample = MakeSampleRun({.cases = 1500});
//   View view = MakeView(sample.manifest, sample.run, nullptr);
#ifndef OPBYOP_REPORTS_VIEW_SAMPLE_RUN_H_
#define OPBYOP_REPORTS_VIEW_SAMPLE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop::reports {

struct SampleOptions {
  size_t cases = 1500;
  bool complete = true;       // false: the last tenth of the cases is absent and so is the footer
  bool unsplit_model = true;  // one of the models could not be split
  uint32_t seed = 7;
};

struct SampleRun {
  Manifest manifest;
  Run run;
};

// Twelve models; about one case in a hundred ends in each kind of trouble. The same options give the same run.
SampleRun MakeSampleRun(const SampleOptions& options);

// manifest.yaml, its case files (no programs, but like some) and results.jsonl, as `opbyop split` and `opbyop run`
// leave them.
Expected<void> WriteSampleRun(SampleRun& sample, const std::filesystem::path& folder);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_SAMPLE_RUN_H_
