// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nightlies of a team for benchmarks: folders with a manifest and results as a run leaves them, whose models, ops,
// statuses, diagnostics, times and errors vary as those of real runs do, and change a little from night to night.
//
//   BenchmarkNights nights(100'000, {"host", "iree"});      // rows of each run
//   Expected<std::filesystem::path> run = nights.Write(folder, night, target);
//
// The same numbers give the same bytes.
#ifndef OPBYOP_HISTORY_IMPORT_BENCHMARK_NIGHTS_H_
#define OPBYOP_HISTORY_IMPORT_BENCHMARK_NIGHTS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop::history {

class BenchmarkNights {
 public:
  BenchmarkNights(size_t rows, std::vector<std::string> targets);

  size_t targets() const { return targets_.size(); }

  // Writes the run of a night, counted from 0, on one target into `folder`. Replaces an earlier run there.
  Expected<void> Write(const std::filesystem::path& folder, size_t night, size_t target) const;

  // Writes the known failures of a target into a folder, as `opbyop history import --baseline FOLDER` takes them.
  Expected<void> WriteBaseline(const std::filesystem::path& folder, size_t target) const;

  static std::string RunId(size_t night, size_t target);

 private:
  CaseRecord RecordOf(size_t index, size_t night, size_t target) const;

  std::vector<std::string> targets_;
  Manifest manifest_;
  std::string manifest_text_, manifest_hash_;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_BENCHMARK_NIGHTS_H_
