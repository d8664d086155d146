// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The progress of the runs of right compilers, per case and target, in a file that calls append to.
//
//   Expected<ProgressFile> file = ProgressFile::Open("false_positives-domain.jsonl");
//   Progress& progress = file->Of("add_2x3_f32_1a2b3c4d");
//   ...
//   file->Append("add_2x3_f32_1a2b3c4d");    // one line, written at once: a killed call loses only the current case
#ifndef OPBYOP_VALIDATION_FALSE_POSITIVES_PROGRESS_H_
#define OPBYOP_VALIDATION_FALSE_POSITIVES_PROGRESS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/expected.h"
#include "support/files/line_log.h"

namespace opbyop {

// The results of one case on one target.
struct Tally {
  int64_t runs = 0;
  int64_t refused = 0;
  int64_t flushed = 0;  // results that are right only for a device that may flush subnormal numbers to zero
  double ratio = 0;     // max error / bound of the accepted runs
  // max error of these runs, relative to what rounding is likely to do; above 1: refused as imprecise
  double precision = 0;
  std::string status;  // why there are no (more) runs; empty: none failed
  std::string first;   // description of the first refusal
};

struct Progress {
  int64_t seeds = 0;    // seeds that were done
  int64_t alike = 0;    // those of `seeds` whose inputs an earlier seed had drawn, and which were not run again
  std::string skipped;  // why the case is not run
  std::map<std::string, Tally> targets;

  // Whether nothing is left to run up to `wanted` seeds.
  bool Done(int64_t wanted) const;
};

class ProgressFile {
 public:
  // Reads the file of earlier calls. The last line of a case counts; a line that was cut off does not.
  static Expected<ProgressFile> Open(const std::filesystem::path& file);
  ProgressFile(ProgressFile&& other) noexcept;

  // Returns the progress of a case, whether it was started or not. References stay valid; threads must use different
  // cases.
  Progress& Of(const std::string& id);
  Expected<void> Append(const std::string& id);

 private:
  ProgressFile() = default;

  std::unique_ptr<LineLog> log_;
  std::mutex mutex_;
  std::map<std::string, Progress> cases_;
};

// Writes the refusals, then for each target how many runs there were, how many of them were refused, and which cases it
// could not run. Returns true if nothing was refused.
bool Summarize(ProgressFile& progress, const std::vector<std::string>& ids, int64_t seeds, const std::string& policy);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FALSE_POSITIVES_PROGRESS_H_
