// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "manifests/formats/json.h"
#include "manifests/formats/json_text.h"
#include "manifests/results/result_fields.h"
#include "manifests/results/set_name.h"

namespace opbyop {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void Write(JsonText& json, const StageRecord& stage) {
  json.BeginObject();
  json.Member("name", stage.name);
  json.Member("status", ToString(stage.status));
  json.Member("ms", stage.ms);
  if (!stage.diagnostic.empty()) json.Member("diagnostic", stage.diagnostic);
  json.EndObject();
}

void Write(JsonText& json, const InputSetRecord& set) {
  json.BeginObject();
  json.Member("policy", set.policy);
  json.Member("seed", set.seed);
  json.Member("status", ToString(set.status));
  json.Member("stage", set.stage);
  if (!set.diagnostic.empty()) json.Member("diagnostic", set.diagnostic);
  if (set.unbounded != 0) json.Member("unbounded", set.unbounded);
  json.EndObject();
}

void Write(JsonText& json, const Placement& placement);

template <class T>
void WriteList(JsonText& json, std::string_view key, const std::vector<T>& list) {
  json.Key(key);
  json.BeginList();
  for (const T& item : list) Write(json, item);
  json.EndList();
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

// An object of the library's, of which JsonText's template makes the same.
class Members {
 public:
  explicit Members(json& object) : object_(object) { object_ = json::object(); }
  void Member(const char* name, json value) { object_[name] = std::move(value); }
  void Number(const char* name, double value) { object_[name] = EncodeDouble(value); }

 private:
  json& object_;
};

// All but its worst elements, in the order of the alphabet, which is that of json.
template <class Object>
void WriteMembers(Object& out, const Comparison& c) {
  out.Member("accepted", c.accepted);
  out.Number("bound_ratio", c.bound_ratio);
  out.Member("constant", c.constant);
  out.Number("cosine", c.cosine);
  out.Member("dtype", c.dtype);
  out.Member("elements", c.elements);
  out.Member("inf_mismatches", c.inf_mismatches);
  out.Number("max_abs", c.max_abs);
  out.Number("max_rel", c.max_rel);
  out.Number("max_ulp", c.max_ulp);
  out.Member("mismatches", c.mismatches);
  out.Member("nan_mismatches", c.nan_mismatches);
  out.Member("output", c.output);
  out.Number("pcc", c.pcc);
  if (!c.policy.empty()) out.Member("policy", c.policy);
  if (c.precision_ratio != 0) out.Number("precision_ratio", c.precision_ratio);
  if (c.random) out.Member("random", true);
  if (c.range_error != 0) out.Number("range_error", c.range_error);
  if (!c.relaxed.empty()) out.Member("relaxed", c.relaxed);
  out.Number("rmse", c.rmse);
  out.Member("rule", c.rule);
  if (c.unbounded != 0) out.Member("unbounded", c.unbounded);
  if (c.weak) out.Member("weak", true);
}

template <class Object>
void WriteMembers(Object& out, const Comparison::Element& element) {
  out.Number("bound_ratio", element.bound_ratio);
  out.Member("expected", element.expected);
  out.Member("got", element.got);
  out.Member("index", element.index);
}

}  // namespace

void Write(JsonText& out, const Comparison& c, WorstElements worst) {
  out.BeginObject();
  WriteMembers(out, c);
  if (worst == WorstElements::kWritten && !c.worst.empty()) {
    out.Key("worst");
    out.BeginList();
    for (const Comparison::Element& element : c.worst) {
      out.BeginObject();
      WriteMembers(out, element);
      out.EndObject();
    }
    out.EndList();
  }
  out.EndObject();
}

void to_json(json& out, const Comparison& c) {
  Members members(out);
  WriteMembers(members, c);
  for (const Comparison::Element& element : c.worst) {
    Members item(out["worst"].emplace_back());
    WriteMembers(item, element);
  }
}

void from_json(const json& in, Comparison& c) { c = ComparisonOf(in); }

namespace {

template <class Object>
void WriteMembers(Object& out, const Placement& placement) {
  out.Member("grid", placement.grid);
  out.Member("layout", placement.layout);
  out.Member("memory", placement.memory);
}

json ToJson(const std::vector<Placement>& placements) {
  json list = json::array();
  for (const Placement& placement : placements) {
    Members item(list.emplace_back());
    WriteMembers(item, placement);
  }
  return list;
}

void Write(JsonText& json, const Placement& placement) {
  json.BeginObject();
  WriteMembers(json, placement);
  json.EndObject();
}

template <class Object>
void WriteMembers(Object& out, const Timing& timing) {
  if (timing.device_clock) out.Member("clock", "device");
  if (timing.first_call) out.Member("first_call", true);
  out.Member("median_us", timing.median_us);
  out.Member("min_us", timing.min_us);
  out.Member("n", timing.n);
  out.Member("p95_us", timing.p95_us);
}

}  // namespace

void from_json(const json& in, Placements& placements) { placements = PlacementsOf(in); }

void to_json(json& out, const Placements& placements) {
  out = {{"inputs", ToJson(placements.inputs)}, {"outputs", ToJson(placements.outputs)}};
}

void from_json(const json& in, Timing& timing) { timing = TimingOf(in); }

void to_json(json& out, const Timing& timing) {
  Members members(out);
  WriteMembers(members, timing);
}

void Write(JsonText& json, const Timing& timing) {
  json.BeginObject();
  WriteMembers(json, timing);
  json.EndObject();
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
  if (header.fresh_seed) object["fresh_seed"] = *header.fresh_seed;
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

void NoteLeftRunning(const std::string& left, CaseRecord& record) {
  if (left.empty()) return;
  record.left_running += (record.left_running.empty() ? "" : "; ") + left;
}

std::vector<std::string> FailedPolicies(const CaseRecord& record, Draws draws) {
  std::vector<std::string> policies;
  for (const InputSetRecord& set : record.sets) {
    if (draws == Draws::kFixed && FreshSeedOf(set.policy)) continue;
    std::string policy = PolicyOfSet(set.policy);
    if (IsFailure(set.status) && std::ranges::find(policies, policy) == policies.end()) {
      policies.push_back(std::move(policy));
    }
  }
  return policies;
}

FixedEnd EndOfFixedDraws(const CaseRecord& record) {
  if (record.fixed.status != Status::kMissing) return record.fixed;
  return {record.status, record.stage, record.diagnostic};
}

const InputSetRecord* FailedFreshDraw(const CaseRecord& record) {
  const auto failed = [](const InputSetRecord& set) { return IsFailure(set.status) && FreshSeedOf(set.policy); };
  const auto found = std::ranges::find_if(record.sets, failed);
  return found == record.sets.end() ? nullptr : &*found;
}

void DropFreshDraw(CaseRecord& record) {
  const auto is_fresh = [](const auto& of_set) { return FreshSeedOf(of_set.policy).has_value(); };
  std::erase_if(record.sets, is_fresh);
  std::erase_if(record.comparisons, is_fresh);
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
  JsonText json;
  json.BeginObject();
  json.Member("record", "case");
  json.Member("case", record.id);
  json.Member("status", ToString(record.status));
  json.Member("stage", record.stage);
  if (!record.diagnostic.empty()) json.Member("diagnostic", record.diagnostic);
  WriteList(json, "stages", record.stages);
  WriteList(json, "comparisons", record.comparisons);
  if (!record.sets.empty()) WriteList(json, "sets", record.sets);
  json.Key("timing");
  Write(json, record.timing);
  json.Member("artifact_bytes", record.artifact_bytes);
  json.Member("peak_rss_kb", record.peak_rss_kb);
  json.Member("attempts", record.attempts);
  if (const FirstAttempt& first = record.first_attempt; first.status != Status::kMissing) {
    json.Key("first_attempt");
    json.BeginObject();
    json.Member("status", ToString(first.status));
    json.Member("stage", first.stage);
    json.Member("diagnostic", first.diagnostic);
    json.EndObject();
  }
  if (const FixedEnd& fixed = record.fixed; fixed.status != Status::kMissing) {
    json.Key("fixed");
    json.BeginObject();
    json.Member("status", ToString(fixed.status));
    json.Member("stage", fixed.stage);
    if (!fixed.diagnostic.empty()) json.Member("diagnostic", fixed.diagnostic);
    json.EndObject();
  }
  if (record.reference != Status::kPass) json.Member("reference", ToString(record.reference));
  json.Member("seed", record.seed);
  json.Member("worker", record.worker);
  if (record.signal != 0) json.Member("signal", record.signal);
  if (!record.stderr_tail.empty()) json.Member("stderr_tail", record.stderr_tail);
  json.Member("start", record.start);
  json.Member("wall_ms", record.wall_ms);
  json.Member("repro", record.repro);
  if (!record.cost.empty()) json.Member("cost", record.cost);
  if (!record.memory.empty()) json.Member("memory", record.memory);
  if (!record.placements.empty()) {
    json.Key("placements");
    json.BeginObject();
    WriteList(json, "inputs", record.placements.inputs);
    WriteList(json, "outputs", record.placements.outputs);
    json.EndObject();
  }
  if (!record.cached_from.empty()) json.Member("cached_from", record.cached_from);
  if (record.batched > 0) json.Member("batched", record.batched);
  if (!record.left_running.empty()) json.Member("left_running", record.left_running);
  if (!record.spoiled_by.empty()) json.Member("spoiled_by", record.spoiled_by);
  if (!record.spoils.empty()) json.Member("spoils", record.spoils);
  if (!record.artifact_sha256.empty()) json.Member("artifact_sha256", record.artifact_sha256);
  if (!record.program_sha256.empty()) json.Member("program_sha256", record.program_sha256);
  if (const Differential& second = record.differential; !second.target.empty()) {
    json.Key("differential");
    json.BeginObject();
    json.Member("target", second.target);
    json.Member("status", ToString(second.status));
    json.Member("stage", second.stage);
    json.Member("diagnostic", second.diagnostic);
    WriteList(json, "comparisons", second.comparisons);
    json.EndObject();
  }
  json.EndObject();
  return json.Take();
}

std::string ToJsonLine(const RunEvent& event) {
  ordered_json object = {{"record", "event"}, {"time", event.time}, {"text", event.text}};
  if (event.lasting) object["lasting"] = true;
  return DumpLine(object);
}

std::string ToJsonLine(const RunFooter& footer) {
  return DumpLine({{"record", "footer"}, {"totals", footer.totals}, {"wall_s", footer.wall_s}, {"end", footer.end}});
}

}  // namespace opbyop
