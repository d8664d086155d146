// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "manifests/counts.h"
#include "manifests/glob.h"
#include "manifests/target.h"
#include "manifests/yaml.h"

namespace opbyop {
namespace {

bool Matches(const BaselineEntry& entry, const Row& row) {
  if (!entry.id.empty() && !GlobMatches(entry.id, RowName(row))) return false;
  if (!entry.op.empty() && !GlobMatches(entry.op, row.c->op)) return false;
  if (!entry.dtype.empty()) {
    const std::string dtype = row.c->outputs.empty() ? "" : row.c->outputs.front().dtype;
    if (!GlobMatches(entry.dtype, dtype)) return false;
  }
  return true;
}

}  // namespace

const BaselineEntry* Baseline::Find(const Row& row) const {
  for (const BaselineEntry& entry : entries) {
    if (Matches(entry, row)) return &entry;
  }
  return nullptr;
}

bool Baseline::IsRegression(const Row& row, Status status) const {
  if (status == Status::kPass || (floor.empty() && floor_rows.empty()) || Find(row) != nullptr) return false;
  const std::string name = RowName(row);
  return floor_rows.contains(name) ||
         std::ranges::any_of(floor, [&](const std::string& glob) { return GlobMatches(glob, name); });
}

void Baseline::KeepFor(std::string_view policies) {
  std::set<std::string> run;
  std::istringstream words{std::string(policies)};
  for (std::string word; std::getline(words, word, ',');) run.insert(word);
  const auto has = [&](const std::string& policy) { return run.contains(policy); };
  std::erase_if(entries, [&](const BaselineEntry& entry) {
    return !entry.policies.empty() && std::ranges::none_of(entry.policies, has);
  });
}

void Baseline::KeepForCompileOnly() {
  constexpr std::array kOnDevice = {kInputsStage, kLoadStage, kExecuteStage, kCompareStage};
  std::erase_if(entries, [&](const BaselineEntry& entry) {
    return std::ranges::find(kOnDevice, entry.stage) != kOnDevice.end();
  });
}

Status Baseline::Judge(const Row& row, Status status, std::string_view stage,
                       const std::vector<std::string>& failed_policies) const {
  const BaselineEntry* entry = Find(row);
  if (!entry) return SaysNothing(status) && IsRegression(row, status) ? Status::kFail : status;
  if (status == Status::kPass) return Status::kUnexpectedPass;
  const auto named = [&](const std::string& policy) {
    return entry->policies.empty() || std::ranges::find(entry->policies, policy) != entry->policies.end();
  };
  if (!std::ranges::all_of(failed_policies, named)) return status;
  return status == entry->status && stage == entry->stage ? Status::kExpectedFail : status;
}

std::string RegressionText(Status status, std::string_view diagnostic) {
  return fmt::format("passed before, now {}: {}", ToString(status), diagnostic);
}

Expected<Baseline> LoadBaseline(const std::filesystem::path& path) {
  Expected<YamlMap> top = LoadYaml(path);
  if (!top) return Unexpected(top.error());
  top->Schema(kBaselineSchema);
  Baseline baseline;
  baseline.path = path;
  baseline.target = top->Required("target");
  baseline.models = top->Strings("models");
  for (YamlMap& map : top->Maps("entries")) {
    BaselineEntry entry;
    entry.id = map.String("id");
    entry.op = map.String("op");
    entry.dtype = map.String("dtype");
    entry.stage = map.Required("stage");
    entry.policies = map.Strings("policies");
    entry.reason = map.Required("reason");
    entry.issue = map.String("issue");
    entry.since = map.String("since");
    entry.line = map.line();
    const auto status = ParseStatus(map.Required("status"));
    if (status && IsFailure(*status)) {
      entry.status = *status;
    } else {
      map.Fail(ExitCode::kBadInput, "`status` must be fail, imprecise, crash, timeout or out_of_memory");
    }
    if (entry.id.empty() && entry.op.empty() && entry.dtype.empty()) {
      map.Fail(ExitCode::kBadInput, "an entry needs `id`, `op` or `dtype`: otherwise it speaks of every row");
    }
    map.Finish();
    baseline.entries.push_back(std::move(entry));
  }
  for (std::string& line : top->Strings("floor")) {
    if (line.find_first_of("*?[") == std::string::npos) {
      baseline.floor_rows.insert(std::move(line));
    } else {
      baseline.floor.push_back(std::move(line));
    }
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return baseline;
}

std::string BaselineName(const std::string& target, bool whole_models) {
  return whole_models ? target + "-whole" : target;
}

Expected<void> CheckBaseline(const Baseline& baseline, const std::vector<Row>& rows) {
  const auto present = [&](const std::string& model) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.model == model; });
  };
  if (!std::all_of(baseline.models.begin(), baseline.models.end(), present)) return {};
  for (const BaselineEntry& entry : baseline.entries) {
    const bool used = std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return Matches(entry, row); });
    if (!used) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}:{}: this entry matches no row of the manifest: was the case renamed or the "
                                   "model removed?",
                                   baseline.path.string(), entry.line));
    }
  }
  std::unordered_set<std::string> names;
  if (!baseline.floor.empty() || !baseline.floor_rows.empty()) {
    for (const Row& row : rows) names.insert(RowName(row));
  }
  const auto stale = [&](const std::string& line) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: `{}` of the floor matches no row of the manifest: was the case renamed or the "
                                 "model removed?",
                                 baseline.path.string(), line));
  };
  for (const std::string& name : std::set<std::string>(baseline.floor_rows.begin(), baseline.floor_rows.end())) {
    if (!names.contains(name)) return stale(name);
  }
  for (const std::string& glob : baseline.floor) {
    if (std::ranges::none_of(names, [&](const std::string& name) { return GlobMatches(glob, name); }))
      return stale(glob);
  }
  return {};
}

}  // namespace opbyop
