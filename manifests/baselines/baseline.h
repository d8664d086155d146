// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads manifests/baselines/TARGET.yaml: the rows that are known to fail. It is strict in both directions.
//
//   schema: opbyop-baseline/1
//   target: iree
//   models: [bert_base, resnet50]   # optional: the models that the entries are for; an entry must match a row only if
//                                   # the manifest has all of these models
//   entries:
//     - {id: "*__fft_*", stage: execute, status: fail, reason: "no FFT kernel", issue: "https://…", owner: ana,
//        since: 2026-11-21}
//     - {op: stablehlo.dot_general, dtype: f64, stage: compare, status: fail, reason: "demoted to f32"}
//     - {id: "*__reduce_*", stage: compare, status: fail, policies: [edge], reason: "drops NaN"}
//     - {ids: ["*__sine_4_f8E4M3FN_*", "*__cosine_4_f8E4M3FN_*"], stage: ttir-to-ttnn, status: crash,
//        diagnostic: 'Unsupported element type f8', reason: "no tile of f8"}
//
//     - {op: stablehlo.dot_general, stage: compare, status: flaky, reason: "reads a freed operand now and then"}
//     - {id: "*__select_28x28_*", stage: execute, status: timeout, may_pass: true, reason: "takes as long as its
//     limit"}
//
//     - {id: "*__scatter_*", stage: execute, status: crash, toolchain: "<0.12", reason: "fixed in 0.12"}
//
//   floor:                          # optional: rows that passed and must still pass
//     - "bert_base__*"
//
// A target of the same compiler may have the baseline of another one instead, which is beside it:
//
//   schema: opbyop-baseline/1
//   target: xla-a100
//   same_as: xla-h100.yaml
//
// If a run only compiled, because the device is absent, entries for stages on the device are ignored.
//
// An entry with `diagnostic` (RE2) applies only to failures whose diagnostic matches it: another crash of the same row
// in the same stage is not expected. Several entries may apply to a row; it fails as expected if one of them matches.
//
// Rows of an entry with the status `flaky` fail now and then and pass when they are tried again. They may also pass at
// the first attempt. A row that fails twice is not expected.
//
// Rows of an entry with `may_pass` fail as the entry says, or pass. Which of the two depends on the machine: how busy
// it is, how often it repeats a run. They may also fail in this way at first and then pass. A pass of such a row is
// `inconclusive`: the next run need not repeat it.
//
// An entry with `toolchain` applies only to runs whose toolchain's version is in that range (version_range.h), and not
// to a run whose toolchain states no version. So one baseline holds for several versions.
//
// An entry with `policies` applies only to failures on the inputs of these policies, and not to a run without any of
// them. An entry, or one of its ids, that matches no row or has no reason is an error. A line of the floor that matches
// no row is an error too. A row to which an entry applies is not part of the floor.
#ifndef OPBYOP_MANIFESTS_BASELINES_BASELINE_H_
#define OPBYOP_MANIFESTS_BASELINES_BASELINE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "manifests/baselines/version_range.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/status/status.h"
#include "support/expected.h"
#include "support/text/pattern.h"

namespace opbyop {

inline constexpr std::string_view kBaselineSchema = "opbyop-baseline/1";

struct BaselineEntry {
  std::vector<std::string> ids;  // globs over "<model>__<case id>", any of them; empty: op and dtype select
  std::string op;                // glob
  std::string dtype;             // glob over the dtype of the first output
  std::string stage;             // the stage that fails
  Status status = Status::kFail;
  bool may_pass = false;              // the row may also pass
  std::string diagnostic;             // pattern in the failure's diagnostic; empty: any
  std::vector<std::string> policies;  // on whose inputs it fails; empty: any
  std::string toolchain;              // range of versions with which it fails; empty: any
  std::string reason;
  std::string issue;
  std::string owner;  // who fixes it
  std::string since;
  int line = 0;
  std::optional<Pattern> pattern = {};        // `diagnostic`
  std::optional<VersionRange> versions = {};  // `toolchain`
};

// How a row ended.
struct RowEnd {
  Status status = Status::kMissing;
  std::string_view stage = {};
  std::string_view diagnostic = {};               // first line only
  std::vector<std::string> failed_policies = {};  // FailedPolicies() of its case
  Status first_status = Status::kMissing;         // of its first attempt, if there were several
  Status reference = Status::kPass;               // how the reference itself failed (manifests/results/result.h)
  // If the further draw failed: how the row ended without it. The baseline applies to that.
  std::shared_ptr<const RowEnd> fixed = nullptr;
};

// Returns how a row of the case ended. The record must outlive the result.
RowEnd EndOf(const CaseRecord& record);

struct Baseline {
  std::filesystem::path path;  // of the file with the entries
  std::string target;
  std::string same_as;  // the file beside `path` that has the entries and the floor; empty: this one
  int same_as_line = 0;
  std::vector<std::string> models;
  std::vector<BaselineEntry> entries;
  std::vector<std::string> floor;              // globs over "<model>__<case id>"
  std::unordered_set<std::string> floor_rows;  // the lines of the floor without a wildcard

  // Removes the entries that do not apply to a run: by its policies, its toolchain, and, if it only compiled, the
  // stages on the device.
  void KeepFor(const RunHeader& run);

  // The first entry that applies to this row; nullptr if none does.
  const BaselineEntry* Find(const Row& row) const;

  // For a failure: the first entry that expects it, else the first that applies to the row. For a pass: the first entry
  // that forbids it, else the first with `may_pass`.
  const BaselineEntry* Find(const Row& row, const RowEnd& end) const;

  // True if the row is part of the floor and did not pass: it passed before. False if the row is unjudged because the
  // reference failed, since that is no fault of the target.
  bool IsRegression(const Row& row, const RowEnd& end) const;

  // Returns the status of a row with the baseline applied. expected_fail if an entry's stage, status and diagnostic
  // match and only its policies failed. unexpected_pass if the row passed although an entry forbids it. inconclusive if
  // the row passed and an entry with `may_pass` applies. fail if a row of the floor is not judged any more. Otherwise
  // the row's own status. A failure in the further draw is red, whatever holds for the fixed seed, unless that failure
  // is known for the row.
  Status Judge(const Row& row, const RowEnd& end) const;
};

// Returns the text for a regression: "passed before, now unsupported: no kernel".
std::string RegressionText(Status status, std::string_view diagnostic);

// Returns the text for a row that may pass: "passed; the baseline allows timeout in execute as well: takes as long as
// its limit".
std::string MayPassText(const BaselineEntry& entry);

// True if the entry expects this failure of one of its rows.
bool Expects(const BaselineEntry& entry, const RowEnd& end);

// True if the entry applies to the row.
bool AppliesTo(const BaselineEntry& entry, const Row& row);

// Returns the text for a failure that differs from the entry only in its diagnostic; empty for any other.
std::string OtherDiagnosticText(const BaselineEntry* entry, const RowEnd& end);

Expected<Baseline> LoadBaseline(const std::filesystem::path& path);

// Reads a baseline from a text; messages call it `path`. Does not follow `same_as`.
Expected<Baseline> ParseBaseline(const std::string& text, const std::filesystem::path& path);

// Returns the name of the baseline for a target's runs of these cases: "iree"; "iree-whole" for whole models; for a
// suite with its level too: "iree-stablehlo-smoke".
std::string BaselineName(const std::string& target, const Manifest& manifest);

// kBadInput naming the first entry that matches none of `rows`. Not checked if the run lacks models of the baseline.
Expected<void> CheckBaseline(const Baseline& baseline, const std::vector<Row>& rows);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_BASELINES_BASELINE_H_
