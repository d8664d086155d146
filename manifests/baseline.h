// manifests/baselines/TARGET.yaml: the rows known to fail, strict in both directions.
//
//   schema: opbyop-baseline/1
//   target: iree
//   models: [bert_base, resnet50]   # optional: the rows that it speaks of; entries are held to match only where the
//                                   # manifest has all of these
//   entries:
//     - {id: "*__fft_*", stage: execute, status: fail, reason: "no FFT kernel", issue: "https://…", since: 2026-11-21}
//     - {op: stablehlo.dot_general, dtype: f64, stage: compare, status: fail, reason: "demoted to f32"}
//
// An entry that matches no row, or has no reason, is an error.
#ifndef OPBYOP_MANIFESTS_BASELINE_H_
#define OPBYOP_MANIFESTS_BASELINE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/manifest.h"
#include "manifests/status.h"
#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kBaselineSchema = "opbyop-baseline/1";

struct BaselineEntry {
  std::string id;     // glob over "<model>__<case id>"; empty: op and dtype select
  std::string op;     // glob
  std::string dtype;  // glob over the dtype of the first output
  std::string stage;  // the stage that fails
  Status status = Status::kFail;
  std::string reason;
  std::string issue;
  std::string since;
  int line = 0;
};

struct Baseline {
  std::filesystem::path path;
  std::string target;
  std::vector<std::string> models;
  std::vector<BaselineEntry> entries;

  // The first entry that speaks of this row; nullptr where none does.
  const BaselineEntry* Find(const Row& row) const;

  // What a row that ended so means: expected_fail where entry, stage and status agree, unexpected_pass where
  // the entry's row passed, else `status` itself.
  Status Judge(const Row& row, Status status, std::string_view stage) const;
};

Expected<Baseline> LoadBaseline(const std::filesystem::path& path);

// How the baseline of a target's runs is named: "iree", or "iree-whole" for its runs of whole models.
std::string BaselineName(const std::string& target, bool whole_models);

// kBadInput naming the first entry that matches none of `rows`. A run of some of the baseline's models cannot tell.
Expected<void> CheckBaseline(const Baseline& baseline, const std::vector<Row>& rows);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_BASELINE_H_
