// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <future>
#include <type_traits>
#include <unordered_map>

#include "manifests/json.h"
#include "manifests/json_members.h"
#include "support/file.h"

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

Status StatusOf(const json& object) {
  return ParseStatus(object.at("status").get_ref<const std::string&>()).value_or(Status::kMissing);
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

RunHeader HeaderOf(const json& object) {
  RunHeader header;
  header.run_id = object.at("run_id");
  header.argv = object.value("argv", std::vector<std::string>());
  header.host = object.value("host", std::map<std::string, std::string>());
  header.compiled = object.value("compiled", std::map<std::string, std::string>());
  header.target = object.at("target");
  header.target_file = object.value("target_file", "");
  header.toolchain = object.value("toolchain", "");
  header.stages = object.at("stages").get<std::vector<std::string>>();
  header.compile_only = object.value("compile_only", "");
  header.properties = object.value("properties", std::map<std::string, std::string>());
  header.manifest = object.at("manifest");
  header.manifest_relative = object.value("manifest_relative", "");
  header.manifest_hash = object.at("manifest_hash");
  header.manifest_rows = IntegerOr(object, "manifest_rows", uint64_t{0});
  header.git_sha = object.value("git_sha", "");
  header.policy = object.value("policy", "");
  header.mode = object.value("mode", "isolated");
  header.seed = IntegerOr(object, "seed", uint64_t{0});
  header.start = object.at("start");
  header.filter = object.value("filter", "");
  header.selected = object.value("selected", "");
  header.shard = IntegerOr(object, "shard", uint64_t{1});
  header.shards = IntegerOr(object, "shards", uint64_t{1});
  header.balance = object.value("balance", "");
  for (const json& item : object.value("merged", json::array())) {
    header.merged.push_back({IntegerOr(item, "shard", uint64_t{0}), item.at("run_id"), item.value("start", ""),
                             item.value("cpu", ""), item.value("wall_s", 0.0), item.value("complete", true)});
  }
  header.decides = object.value("decides", std::map<std::string, std::string>());
  header.digest = object.value("digest", "");
  return header;
}

// A member's text, moved out of an object that nobody reads again.
std::string TakeText(json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? "" : std::move(found->get_ref<std::string&>());
}

// A member that is a list, in place: value() would copy it.
const json& ListOr(const json& object, const char* key) {
  static const json kNone = json::array();
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

CaseRecord RecordOf(json object) {
  CaseRecord record;
  record.id = std::move(object.at("case").get_ref<std::string&>());
  record.status = StatusOf(object);
  record.stage = TakeText(object, "stage");
  record.diagnostic = TakeText(object, "diagnostic");
  json& stages = object.at("stages");
  record.stages.reserve(stages.size());
  for (json& item : stages) {
    record.stages.push_back({std::move(item.at("name").get_ref<std::string&>()), StatusOf(item), item.at("ms"),
                             TakeText(item, "diagnostic")});
  }
  record.comparisons = ListOr(object, "comparisons").get<std::vector<Comparison>>();
  for (const json& item : ListOr(object, "sets")) {
    record.sets.push_back({item.value("policy", ""), IntegerOr(item, "seed", uint64_t{0}), StatusOf(item),
                           item.value("stage", ""), item.value("diagnostic", ""),
                           IntegerOr(item, "unbounded", int64_t{0})});
  }
  record.timing = object.value("timing", Timing());
  record.artifact_bytes = IntegerOr(object, "artifact_bytes", int64_t{0});
  record.peak_rss_kb = IntegerOr(object, "peak_rss_kb", int64_t{0});
  record.attempts = IntegerOr(object, "attempts", 1);
  if (const auto first = object.find("first_attempt"); first != object.end()) {
    record.first_attempt = {StatusOf(*first), first->value("stage", ""), first->value("diagnostic", "")};
  }
  record.seed = IntegerOr(object, "seed", uint64_t{0});
  record.worker = IntegerOr(object, "worker", 0);
  record.signal = IntegerOr(object, "signal", 0);
  record.stderr_tail = object.value("stderr_tail", std::vector<std::string>());
  record.start = TakeText(object, "start");
  record.wall_ms = object.value("wall_ms", 0.0);
  record.repro = TakeText(object, "repro");
  record.cost = object.value("cost", std::map<std::string, double>());
  record.memory = object.value("memory", std::map<std::string, double>());
  record.placements = object.value("placements", Placements());
  record.artifact_sha256 = TakeText(object, "artifact_sha256");
  record.program_sha256 = TakeText(object, "program_sha256");
  record.cached_from = TakeText(object, "cached_from");
  record.batched = IntegerOr(object, "batched", int64_t{0});
  // Older files have it as `second_opinion`.
  const auto second = object.find(object.contains("differential") ? "differential" : "second_opinion");
  if (second != object.end()) {
    record.differential = {second->value("target", ""), StatusOf(*second), second->value("stage", ""),
                           second->value("diagnostic", ""), second->value("comparisons", std::vector<Comparison>())};
  }
  return record;
}

Expected<RunHeader> CheckedHeader(const json& object, const std::filesystem::path& path, int line) {
  const std::string schema = object.at("schema");
  if (schema != kResultsSchema) {
    return MakeError(ExitCode::kUnsupported, fmt::format("{}:{}: schema {} is not read by this version, which reads {}",
                                                         path.string(), line, schema, kResultsSchema));
  }
  RunHeader header = HeaderOf(object);
  Expected<Demands> demands = ParseDemands(object.value("min_pass", ""), object.value("fail_on", ""));
  if (!demands) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}", path.string(), line, demands.error().message));
  }
  header.demands = std::move(*demands);
  return header;
}

Expected<std::ifstream> OpenLines(const std::filesystem::path& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (file && !std::filesystem::is_directory(path, error)) return file;
  const Expected<std::string> text = ReadFile(path);
  return Unexpected(text ? Error{ExitCode::kNoInput, path.string() + ": cannot be read"} : text.error());
}

RunFooter FooterOf(const json& object) {
  RunFooter footer;
  const json totals = object.value("totals", json::object());
  for (const auto& [status, count] : totals.items()) {
    footer.totals[status] = IntegerOf<int64_t>(count);
  }
  footer.wall_s = object.value("wall_s", 0.0);
  footer.end = object.value("end", "");
  return footer;
}

}  // namespace

namespace {

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

void from_json(const json& in, Comparison& c) {
  c.output = IntegerOf<int64_t>(in.at("output"));
  c.dtype = in.value("dtype", "");
  c.elements = IntegerOr(in, "elements", int64_t{0});
  c.mismatches = IntegerOr(in, "mismatches", int64_t{0});
  c.unbounded = IntegerOr(in, "unbounded", int64_t{0});
  c.max_abs = DecodeDouble(in.at("max_abs"));
  c.max_rel = DecodeDouble(in.at("max_rel"));
  c.max_ulp = DecodeDouble(in.at("max_ulp"));
  c.pcc = DecodeDouble(in.at("pcc"));
  c.cosine = DecodeDouble(in.at("cosine"));
  c.rmse = DecodeDouble(in.at("rmse"));
  c.nan_mismatches = IntegerOr(in, "nan_mismatches", int64_t{0});
  c.inf_mismatches = IntegerOr(in, "inf_mismatches", int64_t{0});
  c.bound_ratio = DecodeDouble(in.at("bound_ratio"));
  c.rule = in.value("rule", "");
  c.policy = in.value("policy", "");
  c.relaxed = in.value("relaxed", "");
  c.constant = in.value("constant", false);
  c.accepted = in.at("accepted");
  if (const auto share = in.find("range_error"); share != in.end()) c.range_error = DecodeDouble(*share);
  if (const auto ratio = in.find("precision_ratio"); ratio != in.end()) c.precision_ratio = DecodeDouble(*ratio);
  c.weak = in.value("weak", false);
  c.random = in.value("random", false);
  for (const json& item : ListOr(in, "worst")) {
    std::vector<int64_t> index;
    for (const json& place : item.at("index")) index.push_back(IntegerOf<int64_t>(place));
    c.worst.push_back({std::move(index), item.at("got"), item.at("expected"), DecodeDouble(item.at("bound_ratio"))});
  }
}

namespace {

json ToJson(const std::vector<Placement>& placements) {
  json list = json::array();
  for (const auto& [memory, layout, grid] : placements) {
    list.push_back({{"memory", memory}, {"layout", layout}, {"grid", grid}});
  }
  return list;
}

std::vector<Placement> PlacementsOf(const json& in, const char* key) {
  std::vector<Placement> placements;
  for (const json& item : in.value(key, json::array())) {
    placements.push_back(
        {item.value("memory", ""), item.value("layout", ""), item.value("grid", std::vector<int64_t>())});
  }
  return placements;
}

}  // namespace

void to_json(json& out, const Placements& placements) {
  out = {{"inputs", ToJson(placements.inputs)}, {"outputs", ToJson(placements.outputs)}};
}

void from_json(const json& in, Placements& placements) {
  placements = {PlacementsOf(in, "inputs"), PlacementsOf(in, "outputs")};
}

void to_json(json& out, const Timing& timing) {
  out = json{{"n", timing.n}, {"min_us", timing.min_us}, {"median_us", timing.median_us}, {"p95_us", timing.p95_us}};
  if (timing.device_clock) out["clock"] = "device";
}

void from_json(const json& in, Timing& timing) {
  timing.n = IntegerOf<int64_t>(in.at("n"));
  timing.min_us = in.at("min_us");
  timing.median_us = in.at("median_us");
  timing.p95_us = in.at("p95_us");
  timing.device_clock = in.value("clock", "host") == "device";
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

namespace {

// A record, or what is wrong with the line.
Expected<json> ParseRecord(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) {
    return MakeError(ExitCode::kBadInput, "holds NUL bytes: did the machine go down before it was on the disk?");
  }
  Expected<json> object = ParseJson(line);
  if (object && !object->is_object()) return MakeError(ExitCode::kBadInput, "not a JSON object");
  return object;
}

// One line of results, and what it holds: a case's record, or another's value.
struct Line {
  std::string text;
  std::string kind;
  std::optional<CaseRecord> record;
  json object;
  std::string why;  // why it is none of both
};

constexpr size_t kBytesAtATime = size_t{1} << 20;

std::string NotOfSchema(const json::exception& failure) {
  return fmt::format("not a record of this schema: {}", failure.what());
}

// At least `bytes` of whole lines, where there are as many. What was cut off while it was written is left out.
std::vector<Line> ReadLines(std::istream& file, size_t bytes) {
  std::vector<Line> lines;
  size_t read = 0;
  for (Line line; read < bytes && std::getline(file, line.text) && !file.eof(); line = {}) {
    read += line.text.size() + 1;
    lines.push_back(std::move(line));
  }
  return lines;
}

void ParseLine(Line& line) {
  Expected<json> object = ParseRecord(line.text);
  if (!object) {
    line.why = object.error().message;
    return;
  }
  try {
    line.kind = object->at("record").get<std::string>();
    if (line.kind == "case") {
      line.record = RecordOf(std::move(*object));
    } else {
      line.object = std::move(*object);
    }
  } catch (const json::exception& failure) {
    line.why = NotOfSchema(failure);
  }
}

// By so many threads, this one included, each of which takes a part that stands together. Where the system gives no
// thread, async makes this one do that part too.
void ParseLines(std::vector<Line>& lines, unsigned threads) {
  const size_t part = (lines.size() + threads - 1) / threads;
  const auto parse = [&](size_t begin) {
    for (size_t i = begin; i < std::min(begin + part, lines.size()); ++i) ParseLine(lines[i]);
  };
  std::vector<std::future<void>> others;
  for (size_t begin = part; begin < lines.size(); begin += part) {
    others.push_back(std::async(parse, begin));
  }
  parse(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace

std::optional<RunFooter> ParseFooter(std::string_view line) {
  const Expected<json> object = ParseRecord(line);
  try {
    if (object && object->at("record") == "footer") return FooterOf(*object);
  } catch (const json::exception&) {
  }
  return std::nullopt;
}

Expected<Run> ScanRun(const std::filesystem::path& path,
                      const std::function<void(CaseRecord record, RecordPlace place)>& visit, unsigned threads) {
  Expected<std::ifstream> file = OpenLines(path);
  if (!file) return Unexpected(file.error());
  const auto bad = [&](int line, std::string_view what) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}", path.string(), line, what));
  };
  Run run;
  int line = 0;
  bool has_header = false;
  RecordPlace place;
  while (true) {
    std::vector<Line> lines = ReadLines(*file, threads > 1 ? kBytesAtATime : 1);
    if (lines.empty()) break;
    ParseLines(lines, threads);
    for (Line& each : lines) {
      ++line;
      place.size = static_cast<int64_t>(each.text.size());
      std::string why = std::move(each.why);
      try {
        if (each.record && has_header) {
          visit(std::move(*each.record), place);
          run.complete = false;
        } else if (each.kind == "header") {
          Expected<RunHeader> header = CheckedHeader(each.object, path, line);
          if (!header) return Unexpected(header.error());
          if (!has_header) run.header = std::move(*header);  // a resumed run keeps its first header
          has_header = true;
          run.complete = false;
        } else if (each.kind == "footer") {
          run.footer = FooterOf(each.object);
          run.complete = true;
        }
      } catch (const json::exception& failure) {
        why = NotOfSchema(failure);
      }
      if (!has_header) return bad(line, why.empty() ? "the first record must be the header" : why);
      if (!why.empty()) run.bad_lines.push_back({line, std::move(why)});
      place.offset += place.size + 1;
    }
  }
  if (!has_header) return bad(1, "no header: not a results file, or the run was killed before it began");
  return run;
}

Expected<Run> LoadRun(const std::filesystem::path& path) {
  std::vector<CaseRecord> cases;
  std::unordered_map<std::string, size_t> position;
  Expected<Run> run = ScanRun(path, [&](CaseRecord record, RecordPlace) {
    const auto [known, is_new] = position.emplace(record.id, cases.size());
    if (is_new) {
      cases.push_back(std::move(record));
    } else {
      cases[known->second] = std::move(record);
    }
  });
  if (run) run->cases = std::move(cases);
  return run;
}

Expected<RunHeader> LoadRunHeader(const std::filesystem::path& path) {
  Expected<std::ifstream> file = OpenLines(path);
  if (!file) return Unexpected(file.error());
  std::string text;
  std::getline(*file, text);
  const Expected<json> object = ParseRecord(text);
  try {
    if (!file->eof() && object && object->at("record") == "header") return CheckedHeader(*object, path, 1);
  } catch (const json::exception&) {
  }
  return MakeError(
      ExitCode::kBadInput,
      fmt::format("{}:1: no header: not a results file, or the run was killed before it began", path.string()));
}

Expected<CaseRecord> ParseCaseRecord(std::string_view line) {
  Expected<json> object = ParseRecord(line);
  try {
    if (object) return RecordOf(std::move(*object));
  } catch (const json::exception&) {
  }
  return MakeError(ExitCode::kBadInput, "no record of a case");
}

Expected<CaseRecord> ReadRecord(std::istream& file, RecordPlace place) {
  std::string text(static_cast<size_t>(place.size), '\0');
  file.clear();
  file.seekg(place.offset);
  file.read(text.data(), place.size);
  Expected<CaseRecord> record = ParseCaseRecord(text);
  if (file && record) return record;
  return MakeError(
      ExitCode::kBadInput,
      fmt::format("no record at byte {} of the results any more: another run is writing the file", place.offset));
}

}  // namespace opbyop
