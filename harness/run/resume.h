// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides what happens to existing results in the file that a run is about to write: they are taken over, kept next to
// the new ones, or replaced.
//
//   Expected<ResumePlan> plan = PlanResume({.path = "out/results.jsonl", .header = header, ...});
//   if (!plan) ...   // results of another run: refused, and nothing is changed
//   ResultsWriter::Create(lock, path, header, plan->kept);
//
// A run of all cases replaces existing results. A run of some cases never destroys the results of the others. Records
// are only taken over from a run with the same digest (harness/cache/run_digest.h).
#ifndef OPBYOP_HARNESS_RUN_RESUME_H_
#define OPBYOP_HARNESS_RUN_RESUME_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "support/expected.h"

namespace opbyop::harness {

enum class Existing {
  kReplace,  // run all that is selected; keep the results of other cases
  kResume,   // run what is selected and missing
  // Is kResume if all cases are selected and the run that wrote the results did not finish; otherwise kReplace.
  kResumeInterrupted,
  kRerunFailed,  // run what is selected and missing or red
  // Run what is selected and missing, red, or changed since. The results may be of another manifest.
  kRerunChanged,
  kDiscard,  // discard the existing results
};

struct ResumeQuestion {
  std::filesystem::path path;
  const RunHeader* header = nullptr;  // of the run that begins, with its digest
  Existing existing = Existing::kReplace;
  std::vector<const Case*> selected;
  size_t all = 0;  // number of cases in the file if all were selected
};

struct ResumePlan {
  std::vector<CaseRecord> kept;  // written to the new file at once
  std::vector<RunEvent> events;  // events that concern the kept records
  // The header of the run that the kept records are of, if the new file covers its rows as well.
  std::optional<RunHeader> joined;
  std::optional<uint64_t> fresh_seed;  // of the run that the kept records are of
  bool all_run_again = false;          // the kept records stay until their cases have been run again
  bool run_only_missing = false;       // the cases of the kept records are not run again
  bool replaces_complete = false;      // the file is of a complete run, and none of it is kept
  std::string note;                    // for the user; empty if there is nothing to say
};

// kUsage, naming what differs and `--fresh`, if records would have to be taken over from another run. Returns LoadRun's
// error if the file cannot be read although its records are needed.
Expected<ResumePlan> PlanResume(const ResumeQuestion& question);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RESUME_H_
