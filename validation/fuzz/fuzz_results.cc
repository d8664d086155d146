// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as a results file are read or refused with file and line; a run that was read can be written.
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "validation/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  const std::filesystem::path path = FuzzFile("results.jsonl", data, size);
  const Expected<Run> run = LoadRun(path);
  if (!run) {
    CheckRefusal(run.error(), path);
    return 0;
  }
  ToJsonLine(run->header);
  for (const CaseRecord& record : run->cases) {
    ToJsonLine(record);
    Describe(record.differential);
  }
  ToJsonLine(run->footer);
  return 0;
}
