// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The details of a run's records that a history keeps in addition to the status of each row: stages, comparisons,
// times. They are taken from each record while the results are read, and are a fifth of its size.
//
//   RunDetails details;
//   auto run = reports::LoadRunWithManifest("out/nightly", {.visit =
//                 [&](size_t index, const CaseRecord& r) { details.Add(index, r); }});
//   const CaseDetails* of = details.Find(row.case_index);   // null if the results lack the case
#ifndef OPBYOP_HISTORY_DIFFERENCE_CASE_DETAILS_H_
#define OPBYOP_HISTORY_DIFFERENCE_CASE_DETAILS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "manifests/results/result.h"
#include "manifests/status/status.h"

namespace opbyop::history {

// The time of a case on the device and the error of its worst output: the numbers that are compared between runs.
struct CaseNumbers {
  int64_t n = 0;  // repetitions; 0: not timed
  double median_us = 0;
  double min_us = 0;
  double bound_ratio = -1;   // the worst of its comparisons; -1: nothing was compared
  double first_call_us = 0;  // if the program ran only once: includes the time to load it
};
CaseNumbers NumbersOf(const CaseRecord& record);

// The numbers of a comparison and of a record that a history keeps, in the order of the last columns of its tables
// `comparisons` and `timings`.
inline auto MeasuresOf(const Comparison& c) {
  return std::array{c.max_abs, c.max_rel, c.max_ulp, c.pcc, c.bound_ratio, c.precision_ratio};
}
inline auto CountsOf(const CaseRecord& r) {
  return std::array<int64_t, 3>{r.peak_rss_kb, r.artifact_bytes, r.attempts};
}

struct CaseDetails {
  struct Stage {
    const std::string* name = nullptr;
    Status status = Status::kPass;
    double ms = 0;
  };
  struct Compared {
    const std::string* policy = nullptr;
    const std::string* rule = nullptr;
    int64_t output = 0, elements = 0, mismatches = 0;
    decltype(MeasuresOf({})) measures{};
    bool accepted = true;
  };
  std::vector<Stage> stages;
  std::vector<Compared> comparisons;
  CaseNumbers numbers;
  double p95_us = 0;
  double wall_ms = 0;
  decltype(CountsOf({})) counts{};
};

class RunDetails {
 public:
  RunDetails() = default;
  RunDetails(const RunDetails&) = delete;  // its details point into it
  RunDetails(RunDetails&&) = default;
  RunDetails& operator=(const RunDetails&) = delete;
  RunDetails& operator=(RunDetails&&) = default;
  ~RunDetails() = default;

  // Replaces what was added for that case before. `case_index` is the case's index in the manifest.
  void Add(size_t case_index, const CaseRecord& record);

  const CaseDetails* Find(size_t case_index) const;

 private:
  const std::string* Intern(const std::string& text) { return &*names_.insert(text).first; }

  std::unordered_set<std::string> names_;  // of stages, policies and rules: few; a set does not move them
  std::vector<std::optional<CaseDetails>> cases_;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_CASE_DETAILS_H_
