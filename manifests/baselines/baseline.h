// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// manifests/baselines/TARGET.yaml: the rows known to fail, strict in both directions.
//
//   schema: opbyop-baseline/1
//   target: iree
//   models: [bert_base, resnet50]   # optional: the rows that it speaks of; entries are held to match only where the
//                                   # manifest has all of these
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
//   floor:                          # optional: rows that passed and must go on to
//     - "bert_base__*"
//
// A run that compiled only, because the device is absent, passes over the entries of stages on the device.
//
// An entry with `diagnostic` (RE2) speaks of no failure in whose diagnostic that is not found: another crash of the
// same row in the same stage is none that is expected. Several entries may speak of a row; it fails as expected where
// one of them says so.
//
// The rows of an entry whose status is `flaky` fail now and then and pass when they are tried again; they may also pass
// at once. One that fails twice is none that is expected.
//
// The rows of an entry with `may_pass` fail as it says or pass, which is up to the machine: how busy it is, how often
// it repeats a run. They may also fail so at first and pass when they are tried again. A pass of such a row is
// `inconclusive`: the next run need not repeat it.
//
// An entry with `policies` speaks of what fails on the inputs of these: of no other failure, and of no run without one
// of them. An entry, or one of its ids, that matches no row, or has no reason, is an error; so is a line of the floor
// that matches none. A row that an entry speaks of is not of the floor.
#ifndef OPBYOP_MANIFESTS_BASELINES_BASELINE_H_
#define OPBYOP_MANIFESTS_BASELINES_BASELINE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/status/status.h"
#include "support/expected.h"
#include "support/text/pattern.h"

namespace opbyop {

inline constexpr std::string_view kBaselineSchema = "opbyop-baseline/1";

struct BaselineEntry {
  std::vector<std::string> ids;  // globs over "<model>__<case id>", any of which; empty: op and dtype select
  std::string op;                // glob
  std::string dtype;             // glob over the dtype of the first output
  std::string stage;             // the stage that fails
  Status status = Status::kFail;
  bool may_pass = false;              // where it does not fail
  std::string diagnostic;             // found in that of the failure; empty: in any
  std::vector<std::string> policies;  // on whose inputs it fails; empty: on any
  std::string reason;
  std::string issue;
  std::string owner;  // who mends it
  std::string since;
  int line = 0;
  std::optional<Pattern> pattern = {};  // `diagnostic`
};

// How a row ended.
struct RowEnd {
  Status status = Status::kMissing;
  std::string_view stage = {};
  std::string_view diagnostic = {};               // of its first line alone
  std::vector<std::string> failed_policies = {};  // FailedPolicies() of its case
  Status first_status = Status::kMissing;         // of its first attempt, where there were several
  Status reference = Status::kPass;               // how the reference itself failed (manifests/results/result.h)
  // Where the further draw failed: how the row ended without it. The baseline is of that.
  std::shared_ptr<const RowEnd> fixed = nullptr;
};

// How a row of the case ended. The record outlives it.
RowEnd EndOf(const CaseRecord& record);

struct Baseline {
  std::filesystem::path path;
  std::string target;
  std::vector<std::string> models;
  std::vector<BaselineEntry> entries;
  std::vector<std::string> floor;              // globs over "<model>__<case id>"
  std::unordered_set<std::string> floor_rows;  // the lines of the floor that name a row, without a wildcard

  // Leaves out the entries of policies that a run of these, named by commas, has not.
  void KeepFor(std::string_view policies);

  // Leaves out the entries of stages on the device, for a run that compiled only.
  void KeepForCompileOnly();

  // The first entry that speaks of this row; nullptr where none does.
  const BaselineEntry* Find(const Row& row) const;

  // The first that says that it ends so; the first that speaks of it where none does. Of a pass the first that forbids
  // it, else the first with `may_pass`.
  const BaselineEntry* Find(const Row& row, const RowEnd& end) const;

  // Whether the row is of the floor and ended as something else than a pass: it passed before. Where the reference
  // failed and the row says nothing, that is no word against the target.
  bool IsRegression(const Row& row, const RowEnd& end) const;

  // What a row that ended so means: expected_fail where an entry, stage, status and diagnostic agree and no policy
  // failed but the entry's, unexpected_pass where the row of an entry passed that forbids it, inconclusive where that
  // of an entry with `may_pass` did, fail where a row of the floor says nothing any more, else its status itself. What
  // the further draw found is red, whatever is said of the fixed seed, unless the row is known to fail so.
  Status Judge(const Row& row, const RowEnd& end) const;
};

// "passed before, now unsupported: no kernel": what is told of a regression.
std::string RegressionText(Status status, std::string_view diagnostic);

// "passed; the baseline allows timeout in execute as well: takes as long as its limit": of a row that may pass.
std::string MayPassText(const BaselineEntry& entry);

// Whether the entry says that one of its rows fails so.
bool Expects(const BaselineEntry& entry, const RowEnd& end);

// Whether the entry speaks of the row.
bool SpeaksOf(const BaselineEntry& entry, const Row& row);

// What is told of a failure that an entry expects, but for its diagnostic; empty where it is none of these.
std::string OtherDiagnosticText(const BaselineEntry* entry, const RowEnd& end);

Expected<Baseline> LoadBaseline(const std::filesystem::path& path);

// The same of a text; `path` is what messages call it.
Expected<Baseline> ParseBaseline(const std::string& text, const std::filesystem::path& path);

// How the baseline of a target's runs of these cases is named: "iree"; "iree-whole" of whole models; of a suite with
// its level too, "iree-stablehlo-smoke".
std::string BaselineName(const std::string& target, const Manifest& manifest);

// kBadInput naming the first entry that matches none of `rows`. A run of some of the baseline's models cannot tell.
Expected<void> CheckBaseline(const Baseline& baseline, const std::vector<Row>& rows);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_BASELINES_BASELINE_H_
