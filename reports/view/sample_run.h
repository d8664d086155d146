// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a run that looks like a real one, for the tests of this room and for looking at the page.
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
  bool complete = true;       // false: the last tenth of the cases and the footer are absent
  bool unsplit_model = true;  // one of the models could not be split
  uint32_t seed = 7;
};

struct SampleRun {
  Manifest manifest;
  Run run;
};

// Has twelve models; about one case in a hundred has each kind of failure. The same options give the same run.
SampleRun MakeSampleRun(const SampleOptions& options);

// Writes manifest.yaml, case files (no real programs) and results.jsonl, as `opbyop split` and `opbyop run` do.
Expected<void> WriteSampleRun(SampleRun& sample, const std::filesystem::path& folder);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_SAMPLE_RUN_H_
