// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What becomes of the results that lie where a run is about to write: taken over, kept beside the new ones, or
// replaced.
//
//   Expected<ResumePlan> plan = PlanResume({.path = "out/results.jsonl", .header = header, ...});
//   if (!plan) ...   // another run's: refused, and nothing is touched
//   ResultsWriter::Create(lock, path, header, plan->kept);
//
// A run of all cases replaces what is there, a run of some never destroys the results of the others, and records are
// only taken over from a run of the same digest (harness/cache/run_digest.h).
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
  kReplace,            // run all that is selected; keep the results of other cases
  kResume,             // run what is selected and missing
  kResumeInterrupted,  // the same where all cases are selected and the run that wrote them did not end; else kReplace
  kRerunFailed,        // run what is selected and missing or red
  kRerunChanged,       // the same of what something has changed for since, be it another manifest
  kDiscard,            // whatever is there goes
};

struct ResumeQuestion {
  std::filesystem::path path;
  const RunHeader* header = nullptr;  // of the run that begins, with its digest
  Existing existing = Existing::kReplace;
  std::vector<const Case*> selected;
  size_t all = 0;  // cases that the file would hold were all selected
};

struct ResumePlan {
  std::vector<CaseRecord> kept;        // in the new file from its first moment
  std::vector<RunEvent> events;        // that concern these
  std::optional<RunHeader> joined;     // the header of the run that they are of, where the new file is of its rows too
  std::optional<uint64_t> fresh_seed;  // of the run that they are of
  bool all_run_again = false;          // those kept stand in until they are made anew
  bool run_only_missing = false;       // those kept are not run again
  bool replaces_complete = false;      // the file is of a whole run, and none of it is kept
  std::string note;                    // for the user; empty where there is nothing to say
};

// kUsage, naming what differs and `--fresh`, where records would have to be taken over from another run; LoadRun's
// error where the file cannot be read and would have to be.
Expected<ResumePlan> PlanResume(const ResumeQuestion& question);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RESUME_H_
