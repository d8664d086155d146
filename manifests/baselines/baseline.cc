// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/baselines/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "manifests/formats/glob.h"
#include "manifests/formats/yaml.h"
#include "manifests/status/counts.h"
#include "manifests/targets/target.h"
#include "support/files/file.h"

namespace opbyop {
namespace {

bool HasName(const BaselineEntry& entry, std::string_view name) {
  return std::ranges::any_of(entry.ids, [&](const std::string& glob) { return GlobMatches(glob, name); });
}

// True if a pass of such a row is unexpected.
bool MustFail(const BaselineEntry& entry) { return entry.status != Status::kFlaky && !entry.may_pass; }

// If a row may pass, its first attempt may be the one that fails.
Status FailureOf(const BaselineEntry& entry, const RowEnd& end) {
  return entry.may_pass && end.status == Status::kFlaky ? end.first_status : end.status;
}

std::string_view FirstLineOf(std::string_view text) { return text.substr(0, text.find('\n')); }

}  // namespace

RowEnd EndOf(const CaseRecord& record) {
  RowEnd end = {record.status,   record.stage, record.diagnostic, FailedPolicies(record), record.first_attempt.status,
                record.reference};
  if (FailedFreshDraw(record) == nullptr) return end;
  RowEnd fixed = end;
  fixed.failed_policies = FailedPolicies(record, Draws::kFixed);
  if (record.fixed.status != Status::kMissing) {
    fixed.status = record.fixed.status;
    fixed.stage = record.fixed.stage;
    fixed.diagnostic = record.fixed.diagnostic;
  }
  end.fixed = std::make_shared<const RowEnd>(std::move(fixed));
  return end;
}

bool AppliesTo(const BaselineEntry& entry, const Row& row) {
  if (!entry.ids.empty() && !HasName(entry, RowName(row))) return false;
  if (!entry.op.empty() && !GlobMatches(entry.op, row.c->op)) return false;
  if (!entry.dtype.empty()) {
    const std::string dtype = row.c->outputs.empty() ? "" : row.c->outputs.front().dtype;
    if (!GlobMatches(entry.dtype, dtype)) return false;
  }
  return true;
}

bool Expects(const BaselineEntry& entry, const RowEnd& end) {
  const auto named = [&](const std::string& policy) {
    return entry.policies.empty() || std::ranges::find(entry.policies, policy) != entry.policies.end();
  };
  return FailureOf(entry, end) == entry.status && end.stage == entry.stage &&
         std::ranges::all_of(end.failed_policies, named) &&
         (!entry.pattern || entry.pattern->IsFoundIn(FirstLineOf(end.diagnostic)));
}

std::string OtherDiagnosticText(const BaselineEntry* entry, const RowEnd& end) {
  if (entry == nullptr || !entry->pattern || FailureOf(*entry, end) != entry->status || end.stage != entry->stage) {
    return "";
  }
  if (entry->pattern->IsFoundIn(FirstLineOf(end.diagnostic))) return "";
  return fmt::format("not the diagnostic that the baseline expects (`{}`): {}", entry->diagnostic, end.diagnostic);
}

const BaselineEntry* Baseline::Find(const Row& row) const {
  for (const BaselineEntry& entry : entries) {
    if (AppliesTo(entry, row)) return &entry;
  }
  return nullptr;
}

const BaselineEntry* Baseline::Find(const Row& row, const RowEnd& end) const {
  const bool passed = end.status == Status::kPass;
  const BaselineEntry* first = nullptr;
  for (const BaselineEntry& entry : entries) {
    if (!AppliesTo(entry, row)) continue;
    if (passed ? MustFail(entry) : Expects(entry, end)) return &entry;
    if (first == nullptr || (passed && entry.may_pass && !first->may_pass)) first = &entry;
  }
  return first;
}

bool Baseline::IsRegression(const Row& row, const RowEnd& end) const {
  if (end.fixed) return IsRegression(row, *end.fixed);
  if (end.status == Status::kPass || (floor.empty() && floor_rows.empty()) || Find(row) != nullptr) return false;
  if (end.reference != Status::kPass && IsUnjudged(end.status)) return false;
  const std::string name = RowName(row);
  return floor_rows.contains(name) ||
         std::ranges::any_of(floor, [&](const std::string& glob) { return GlobMatches(glob, name); });
}

void Baseline::KeepFor(const RunHeader& run) {
  std::set<std::string> policies;
  std::istringstream words{run.policy};
  for (std::string word; std::getline(words, word, ',');) policies.insert(word);
  const auto has = [&](const std::string& policy) { return policies.contains(policy); };
  constexpr std::array kOnDevice = {kInputsStage, kLoadStage, kExecuteStage, kCompareStage};
  const Version version = VersionIn(run.toolchain);
  std::erase_if(entries, [&](const BaselineEntry& entry) {
    if (!entry.policies.empty() && std::ranges::none_of(entry.policies, has)) return true;
    if (entry.versions && !entry.versions->Contains(version)) return true;
    return !run.compile_only.empty() && std::ranges::find(kOnDevice, entry.stage) != kOnDevice.end();
  });
}

Status Baseline::Judge(const Row& row, const RowEnd& end) const {
  const BaselineEntry* entry = Find(row, end);
  if (end.fixed) {
    // A failure that is known for the fixed seed, or that is allowed, is expected in the further draw too.
    const bool is_known = entry != nullptr && Expects(*entry, end) &&
                          (entry->may_pass || Judge(row, *end.fixed) == Status::kExpectedFail);
    return is_known ? Status::kExpectedFail : end.status;
  }
  if (!entry) return IsUnjudged(end.status) && IsRegression(row, end) ? Status::kFail : end.status;
  if (end.status == Status::kPass) {
    if (MustFail(*entry)) return Status::kUnexpectedPass;
    return entry->may_pass ? Status::kInconclusive : Status::kPass;
  }
  return Expects(*entry, end) ? Status::kExpectedFail : end.status;
}

std::string RegressionText(Status status, std::string_view diagnostic) {
  return fmt::format("passed before, now {}: {}", ToString(status), diagnostic);
}

std::string MayPassText(const BaselineEntry& entry) {
  return fmt::format("passed; the baseline allows {} in {} as well: {}", ToString(entry.status), entry.stage,
                     entry.reason);
}

Expected<Baseline> LoadBaseline(const std::filesystem::path& path) {
  const auto load = [](const std::filesystem::path& file) -> Expected<Baseline> {
    const Expected<std::string> text = ReadFile(file);
    if (!text) return Unexpected(text.error());
    return ParseBaseline(*text, file);
  };
  Expected<Baseline> baseline = load(path);
  if (!baseline || baseline->same_as.empty()) return baseline;
  const std::string place = fmt::format("{}:{}: `same_as`: ", path.string(), baseline->same_as_line);
  Expected<Baseline> other = load(path.parent_path() / baseline->same_as);
  if (!other) return MakeError(other.error().code, place + other.error().message);
  if (!other->same_as.empty()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}{} has no entries of its own, but those of {}", place,
                                                      other->path.string(), other->same_as));
  }
  other->target = std::move(baseline->target);
  return other;
}

Expected<Baseline> ParseBaseline(const std::string& text, const std::filesystem::path& path) {
  Expected<YamlMap> top = ParseYaml(text, path);
  if (!top) return Unexpected(top.error());
  top->Schema(kBaselineSchema);
  Baseline baseline;
  baseline.path = path;
  baseline.target = top->Required("target");
  baseline.same_as = top->String("same_as");
  baseline.same_as_line = top->LineOf("same_as");
  baseline.models = top->Strings("models");
  for (YamlMap& map : top->Maps("entries")) {
    BaselineEntry entry;
    entry.ids = map.Strings("ids");
    if (std::string id = map.String("id"); !id.empty()) entry.ids.push_back(std::move(id));
    entry.op = map.String("op");
    entry.dtype = map.String("dtype");
    entry.stage = map.Required("stage");
    entry.diagnostic = map.String("diagnostic");
    if (!entry.diagnostic.empty()) {
      Expected<Pattern> pattern = Pattern::Compile(entry.diagnostic);
      if (!pattern) map.Fail(ExitCode::kBadInput, "`diagnostic`: " + pattern.error().message);
      if (pattern) entry.pattern = std::move(*pattern);
    }
    entry.policies = map.Strings("policies");
    entry.toolchain = map.String("toolchain");
    if (!entry.toolchain.empty()) {
      Expected<VersionRange> versions = VersionRange::Parse(entry.toolchain);
      if (!versions) map.Fail(ExitCode::kBadInput, "`toolchain`: " + versions.error().message);
      if (versions) entry.versions = std::move(*versions);
    }
    entry.reason = map.Required("reason");
    entry.issue = map.String("issue");
    entry.owner = map.String("owner");
    entry.since = map.String("since");
    entry.line = map.line();
    const auto status = ParseStatus(map.Required("status"));
    if (status && (IsFailure(*status) || *status == Status::kFlaky)) {
      entry.status = *status;
    } else {
      map.Fail(ExitCode::kBadInput, "`status` must be fail, imprecise, crash, timeout, out_of_memory or flaky");
    }
    entry.may_pass = map.Bool("may_pass", false);
    if (entry.may_pass && entry.status == Status::kFlaky) {
      map.Fail(ExitCode::kBadInput, "`may_pass` is only for rows that fail: flaky rows may pass without it");
    }
    if (entry.ids.empty() && entry.op.empty() && entry.dtype.empty()) {
      map.Fail(ExitCode::kBadInput, "an entry needs `id`, `ids`, `op` or `dtype`: otherwise it applies to every row");
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
  if (!baseline.same_as.empty() &&
      !(baseline.entries.empty() && baseline.floor.empty() && baseline.floor_rows.empty())) {
    top->Fail(ExitCode::kBadInput, "`same_as` is in the place of `entries` and `floor`: write one or the other");
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return baseline;
}

std::string BaselineName(const std::string& target, const Manifest& manifest) {
  if (manifest.suite) return fmt::format("{}-{}-{}", target, manifest.suite->name, manifest.suite->level);
  return manifest.is_whole() ? target + "-whole" : target;
}

namespace {

constexpr std::string_view kWhyStale =
    "was the case renamed or the model removed? `opbyop split` makes arguments of the constants of an op that has "
    "nothing "
    "else, unless --keep-constants is given: a baseline of cases that were made otherwise names other ids, and `opbyop "
    "baseline update` makes a new one";

}  // namespace

Expected<void> CheckBaseline(const Baseline& baseline, const std::vector<Row>& rows) {
  const auto present = [&](const std::string& model) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.model == model; });
  };
  if (!std::all_of(baseline.models.begin(), baseline.models.end(), present)) return {};
  for (const BaselineEntry& entry : baseline.entries) {
    const auto unused = [&](std::string_view what) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {} matches no row of the manifest: {}",
                                                        baseline.path.string(), entry.line, what, kWhyStale));
    };
    const auto used = [&](const BaselineEntry& part) {
      return std::ranges::any_of(rows, [&](const Row& row) { return AppliesTo(part, row); });
    };
    if (!used(entry)) return unused("this entry");
    for (size_t i = 0; entry.ids.size() > 1 && i < entry.ids.size(); ++i) {
      BaselineEntry part = entry;
      part.ids = {entry.ids[i]};
      if (!used(part)) return unused(fmt::format("`{}` of this entry", entry.ids[i]));
    }
  }
  std::unordered_set<std::string> names;
  if (!baseline.floor.empty() || !baseline.floor_rows.empty()) {
    for (const Row& row : rows) names.insert(RowName(row));
  }
  const auto stale = [&](const std::string& line) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: `{}` of the floor matches no row of the manifest: {}",
                                                      baseline.path.string(), line, kWhyStale));
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
