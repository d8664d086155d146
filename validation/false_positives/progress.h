// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far the runs of right compilers have come: per case and target, kept in a file that calls append to.
//
//   Expected<ProgressFile> file = ProgressFile::Open("false_positives-domain.jsonl");
//   Progress& progress = file->Of("add_2x3_f32_1a2b3c4d");
//   ...
//   file->Append("add_2x3_f32_1a2b3c4d");    // one line, written at once: a killed call loses the current case only
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

// What became of one case on one target.
struct Tally {
  int64_t runs = 0;
  int64_t refused = 0;
  int64_t flushed = 0;   // right for a device that takes subnormal numbers for zero, and only for one
  double ratio = 0;      // max error / bound of the runs that were accepted
  double precision = 0;  // max error in what rounding is likely to do of them; above 1: refused as imprecise
  std::string status;    // why there are no (more) runs; empty: none failed
  std::string first;     // of the first refusal
};

struct Progress {
  int64_t seeds = 0;    // done
  int64_t alike = 0;    // of these, how many drew inputs that an earlier seed had drawn, and were not run again
  std::string skipped;  // why the case is not run
  std::map<std::string, Tally> targets;

  // Nothing is left to run up to `seeds`.
  bool Done(int64_t wanted) const;
};

class ProgressFile {
 public:
  // Reads what earlier calls left: the last line of a case counts, a line cut short does not.
  static Expected<ProgressFile> Open(const std::filesystem::path& file);
  ProgressFile(ProgressFile&& other) noexcept;

  // Begun or not. References stay valid; cases of several threads must differ.
  Progress& Of(const std::string& id);
  Expected<void> Append(const std::string& id);

 private:
  ProgressFile() = default;

  std::unique_ptr<LineLog> log_;
  std::mutex mutex_;
  std::map<std::string, Progress> cases_;
};

// The refusals, then per target how many runs there were, how many of them were refused, and which cases it could not
// run. True where nothing was refused.
bool Summarize(ProgressFile& progress, const std::vector<std::string>& ids, int64_t seeds, const std::string& policy);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FALSE_POSITIVES_PROGRESS_H_
