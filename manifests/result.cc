// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "manifests/json.h"
#include "manifests/json_members.h"
#include "manifests/result_fields.h"

namespace opbyop {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json ToJson(const StageRecord& stage) {
  ordered_json object = {{"name", stage.name}, {"status", ToString(stage.status)}, {"ms", stage.ms}};
  if (!stage.diagnostic.empty()) object["diagnostic"] = stage.diagnostic;
  return object;
}

ordered_json ToJson(const InputSetRecord& set) {
  ordered_json object = {
      {"policy", set.policy}, {"seed", set.seed}, {"status", ToString(set.status)}, {"stage", set.stage}};
  if (!set.diagnostic.empty()) object["diagnostic"] = set.diagnostic;
  if (set.unbounded != 0) object["unbounded"] = set.unbounded;
  return object;
}

ordered_json ToJson(const MergedShard& shard) {
  ordered_json object = {{"shard", shard.shard},
                         {"run_id", shard.run_id},
                         {"start", shard.start},
                         {"cpu", shard.cpu},
                         {"wall_s", shard.wall_s}};
  if (!shard.complete) object["complete"] = false;
  return object;
}

constexpr size_t kMembers = 24;  // of a comparison, at most

template <class Json>
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(EncodeDouble(value));
}

// Members in the order of the alphabet, which is the order of json's: both kinds print the same.
template <class Json>
Json ComparisonJson(const Comparison& c) {
  Json out = Json::object();
  if constexpr (std::is_same_v<Json, ordered_json>) out.template get_ref<ordered_json::object_t&>().reserve(kMembers);
  AddMember(out, "accepted", c.accepted);
  AddMember(out, "bound_ratio", Number<Json>(c.bound_ratio));
  AddMember(out, "constant", c.constant);
  AddMember(out, "cosine", Number<Json>(c.cosine));
  AddMember(out, "dtype", c.dtype);
  AddMember(out, "elements", c.elements);
  AddMember(out, "inf_mismatches", c.inf_mismatches);
  AddMember(out, "max_abs", Number<Json>(c.max_abs));
  AddMember(out, "max_rel", Number<Json>(c.max_rel));
  AddMember(out, "max_ulp", Number<Json>(c.max_ulp));
  AddMember(out, "mismatches", c.mismatches);
  AddMember(out, "nan_mismatches", c.nan_mismatches);
  AddMember(out, "output", c.output);
  AddMember(out, "pcc", Number<Json>(c.pcc));
  if (!c.policy.empty()) AddMember(out, "policy", c.policy);
  if (c.precision_ratio != 0) AddMember(out, "precision_ratio", Number<Json>(c.precision_ratio));
  if (c.random) AddMember(out, "random", true);
  if (c.range_error != 0) AddMember(out, "range_error", Number<Json>(c.range_error));
  if (!c.relaxed.empty()) AddMember(out, "relaxed", c.relaxed);
  AddMember(out, "rmse", Number<Json>(c.rmse));
  AddMember(out, "rule", c.rule);
  if (c.unbounded != 0) AddMember(out, "unbounded", c.unbounded);
  if (c.weak) AddMember(out, "weak", true);
  for (const Comparison::Element& element : c.worst) {
    Json& item = out["worst"].emplace_back(Json::object());
    AddMember(item, "bound_ratio", Number<Json>(element.bound_ratio));
    AddMember(item, "expected", element.expected);
    AddMember(item, "got", element.got);
    AddMember(item, "index", element.index);
  }
  return out;
}

}  // namespace

void to_json(json& out, const Comparison& c) { out = ComparisonJson<json>(c); }

void to_json(ordered_json& out, const Comparison& c) { out = ComparisonJson<ordered_json>(c); }

void from_json(const json& in, Comparison& c) { c = ComparisonOf(in); }

namespace {

json ToJson(const std::vector<Placement>& placements) {
  json list = json::array();
  for (const auto& [memory, layout, grid] : placements) {
    list.push_back({{"memory", memory}, {"layout", layout}, {"grid", grid}});
  }
  return list;
}

}  // namespace

void from_json(const json& in, Placements& placements) { placements = PlacementsOf(in); }

void to_json(json& out, const Placements& placements) {
  out = {{"inputs", ToJson(placements.inputs)}, {"outputs", ToJson(placements.outputs)}};
}

void from_json(const json& in, Timing& timing) { timing = TimingOf(in); }

void to_json(json& out, const Timing& timing) {
  out = json{{"n", timing.n}, {"min_us", timing.min_us}, {"median_us", timing.median_us}, {"p95_us", timing.p95_us}};
  if (timing.device_clock) out["clock"] = "device";
}

std::string ToJsonLine(const RunHeader& header) {
  ordered_json object = {{"schema", kResultsSchema},
                         {"record", "header"},
                         {"run_id", header.run_id},
                         {"argv", header.argv},
                         {"host", header.host},
                         {"target", header.target},
                         {"target_file", header.target_file},
                         {"toolchain", header.toolchain},
                         {"stages", header.stages},
                         {"manifest", header.manifest},
                         {"manifest_hash", header.manifest_hash},
                         {"git_sha", header.git_sha},
                         {"policy", header.policy},
                         {"mode", header.mode},
                         {"seed", header.seed},
                         {"start", header.start}};
  if (!header.manifest_relative.empty()) object["manifest_relative"] = header.manifest_relative;
  if (header.manifest_rows > 0) object["manifest_rows"] = header.manifest_rows;
  if (header.shards > 1) {
    object["shard"] = header.shard;
    object["shards"] = header.shards;
    object["balance"] = header.balance;
  }
  for (const MergedShard& shard : header.merged) object["merged"].push_back(ToJson(shard));
  if (!header.compile_only.empty()) object["compile_only"] = header.compile_only;
  if (!header.properties.empty()) object["properties"] = header.properties;
  if (!header.compiled.empty()) object["compiled"] = header.compiled;
  if (!header.filter.empty()) object["filter"] = header.filter;
  if (!header.selected.empty()) object["selected"] = header.selected;
  if (!header.demands.min_pass.empty()) object["min_pass"] = header.demands.min_pass;
  if (!header.demands.fail_on.empty()) object["fail_on"] = header.demands.FailOnText();
  object["digest"] = header.digest;
  object["decides"] = header.decides;
  return DumpLine(object);
}

std::vector<std::string> FailedPolicies(const CaseRecord& record) {
  std::vector<std::string> policies;
  for (const InputSetRecord& set : record.sets) {
    std::string policy = set.policy.substr(0, set.policy.find('#'));
    if (IsFailure(set.status) && std::ranges::find(policies, policy) == policies.end()) {
      policies.push_back(std::move(policy));
    }
  }
  return policies;
}

std::string Describe(const std::vector<BadLine>& lines) {
  if (lines.empty()) return "";
  constexpr size_t kShown = 3;
  std::string text =
      lines.size() == 1 ? "1 line cannot be read:" : fmt::format("{} lines cannot be read:", lines.size());
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    text += fmt::format("{} {} ({})", i == 0 ? "" : ",", lines[i].line, lines[i].why);
  }
  return text + (lines.size() > kShown ? ", ..." : "");
}

std::string Describe(const Differential& opinion) {
  std::string text = fmt::format("{}: {}", opinion.target, ToString(opinion.status));
  if (opinion.status != Status::kPass) return fmt::format("{} in {}: {}", text, opinion.stage, opinion.diagnostic);
  double worst = 0;
  for (const Comparison& comparison : opinion.comparisons) worst = std::max(worst, comparison.bound_ratio);
  return fmt::format("{}, error {:.3g} of its bound", text, worst);
}

std::string ToJsonLine(const CaseRecord& record) {
  ordered_json stages = ordered_json::array();
  for (const StageRecord& stage : record.stages) stages.push_back(ToJson(stage));
  ordered_json object = {
      {"record", "case"}, {"case", record.id}, {"status", ToString(record.status)}, {"stage", record.stage}};
  if (!record.diagnostic.empty()) AddMember(object, "diagnostic", record.diagnostic);
  AddMember(object, "stages", stages);
  AddMember(object, "comparisons", record.comparisons);
  for (const InputSetRecord& set : record.sets) object["sets"].push_back(ToJson(set));
  AddMember(object, "timing", json(record.timing));
  AddMember(object, "artifact_bytes", record.artifact_bytes);
  AddMember(object, "peak_rss_kb", record.peak_rss_kb);
  AddMember(object, "attempts", record.attempts);
  if (const FirstAttempt& first = record.first_attempt; first.status != Status::kMissing) {
    object["first_attempt"] = {
        {"status", ToString(first.status)}, {"stage", first.stage}, {"diagnostic", first.diagnostic}};
  }
  AddMember(object, "seed", record.seed);
  AddMember(object, "worker", record.worker);
  if (record.signal != 0) AddMember(object, "signal", record.signal);
  if (!record.stderr_tail.empty()) AddMember(object, "stderr_tail", record.stderr_tail);
  AddMember(object, "start", record.start);
  AddMember(object, "wall_ms", record.wall_ms);
  AddMember(object, "repro", record.repro);
  if (!record.cost.empty()) AddMember(object, "cost", record.cost);
  if (!record.memory.empty()) AddMember(object, "memory", record.memory);
  if (!record.placements.empty()) AddMember(object, "placements", json(record.placements));
  if (!record.cached_from.empty()) AddMember(object, "cached_from", record.cached_from);
  if (record.batched > 0) AddMember(object, "batched", record.batched);
  if (!record.artifact_sha256.empty()) AddMember(object, "artifact_sha256", record.artifact_sha256);
  if (!record.program_sha256.empty()) AddMember(object, "program_sha256", record.program_sha256);
  if (const Differential& second = record.differential; !second.target.empty()) {
    object["differential"] = {{"target", second.target},
                              {"status", ToString(second.status)},
                              {"stage", second.stage},
                              {"diagnostic", second.diagnostic},
                              {"comparisons", second.comparisons}};
  }
  return DumpLine(object);
}

std::string ToJsonLine(const RunFooter& footer) {
  return DumpLine({{"record", "footer"}, {"totals", footer.totals}, {"wall_s", footer.wall_s}, {"end", footer.end}});
}

}  // namespace opbyop
