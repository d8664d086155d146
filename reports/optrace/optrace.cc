#include "reports/optrace/optrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace opbyop::optrace {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<Section, std::string_view>, 6> kSections = {{{Section::kOverview, "overview"},
                                                                            {Section::kControl, "control"},
                                                                            {Section::kExecution, "execution"},
                                                                            {Section::kDataTransfer, "data_transfer"},
                                                                            {Section::kCompile, "compile"},
                                                                            {Section::kCompare, "compare"}}};

json TypesToJson(const std::vector<TensorType>& types) {
  json array = json::array();
  for (const TensorType& type : types) array.push_back({{"shape", type.shape}, {"dtype", type.dtype}});
  return array;
}

std::vector<TensorType> TypesFromJson(const json& array) {
  std::vector<TensorType> types;
  for (const json& item : array) types.push_back({item.at("shape").get<std::vector<int64_t>>(), item.at("dtype")});
  return types;
}

template <typename T>
void Get(const json& object, const char* key, T& value) {
  if (const auto it = object.find(key); it != object.end()) value = it->get<T>();
}

json BoundsToJson(const Bounds& bounds) { return {bounds.min_ps, bounds.max_ps}; }

std::optional<Bounds> BoundsFromJson(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  return Bounds{it->at(0).get<int64_t>(), it->at(1).get<int64_t>()};
}

std::string Dump(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace); }

bool IsPlain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

void AppendText(std::string_view text, std::string& out) {
  if (!IsPlain(text)) {
    out += Dump(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

// By far the most frequent record: as `Dump(Encode(span))` writes it, keys in their order, without the tree between.
void AppendSpan(const Span& span, std::string& out) {
  const auto append = [&]<typename... T>(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
  };
  out += '{';
  if (span.bytes > 0) append("\"bytes\":{},", Dump(span.bytes));
  out += "\"clock\":";
  AppendText(span.clock, out);
  append(",\"core\":{},\"device\":{}", span.core, span.device);
  if (span.duration_bounds)
    append(",\"dur_bounds_ps\":[{},{}]", span.duration_bounds->min_ps, span.duration_bounds->max_ps);
  append(",\"dur_ps\":{},\"exactness\":\"{}\",\"id\":{},\"iteration\":{},\"name\":", span.dur_ps,
         ToString(span.exactness), span.id, span.iteration);
  AppendText(span.name, out);
  if (span.op >= 0) append(",\"op\":{}", span.op);
  append(",\"record\":\"span\",\"section\":\"{}\"", ToString(span.section));
  if (span.start_bounds) append(",\"start_bounds_ps\":[{},{}]", span.start_bounds->min_ps, span.start_bounds->max_ps);
  append(",\"start_ps\":{}}}", span.start_ps);
}

json Encode(const Header& header) {
  json devices = json::array();
  for (const TraceDevice& device : header.devices) {
    devices.push_back({{"id", device.id},
                       {"name", device.name},
                       {"cores", device.cores},
                       {"peak_gflops", device.peak_gflops},
                       {"peak_gb_per_s", device.peak_gb_per_s},
                       {"peak_source", device.peak_source}});
  }
  return {{"record", "header"},
          {"schema", kSchema},
          {"run_id", header.run_id},
          {"command", header.command},
          {"model", header.model},
          {"target", header.target},
          {"toolchain", header.toolchain},
          {"start", header.start},
          {"devices", devices},
          {"warmup", header.warmup},
          {"iterations", header.iterations},
          {"resolution_ps", header.resolution_ps},
          {"mode", header.mode}};
}

Header DecodeHeader(const json& object) {
  Header header;
  Get(object, "run_id", header.run_id);
  Get(object, "command", header.command);
  Get(object, "model", header.model);
  Get(object, "target", header.target);
  Get(object, "toolchain", header.toolchain);
  Get(object, "start", header.start);
  Get(object, "warmup", header.warmup);
  Get(object, "iterations", header.iterations);
  Get(object, "resolution_ps", header.resolution_ps);
  Get(object, "mode", header.mode);
  for (const json& item : object.value("devices", json::array())) {
    TraceDevice device;
    Get(item, "id", device.id);
    Get(item, "name", device.name);
    Get(item, "cores", device.cores);
    Get(item, "peak_gflops", device.peak_gflops);
    Get(item, "peak_gb_per_s", device.peak_gb_per_s);
    Get(item, "peak_source", device.peak_source);
    header.devices.push_back(std::move(device));
  }
  return header;
}

json Encode(const Op& op) {
  return {{"record", "op"},
          {"id", op.id},
          {"case", op.case_id},
          {"hlo", op.hlo},
          {"framework", op.framework},
          {"path", op.path},
          {"location", op.location},
          {"text", op.text},
          {"operands", TypesToJson(op.operands)},
          {"results", TypesToJson(op.results)},
          {"flops", op.flops},
          {"bytes", op.bytes},
          {"category", op.category}};
}

Op DecodeOp(const json& object) {
  Op op;
  op.id = object.at("id").get<int64_t>();
  Get(object, "case", op.case_id);
  op.hlo = object.at("hlo").get<std::string>();
  Get(object, "framework", op.framework);
  Get(object, "path", op.path);
  Get(object, "location", op.location);
  Get(object, "text", op.text);
  op.operands = TypesFromJson(object.value("operands", json::array()));
  op.results = TypesFromJson(object.value("results", json::array()));
  Get(object, "flops", op.flops);
  Get(object, "bytes", op.bytes);
  Get(object, "category", op.category);
  return op;
}

json Encode(const Span& span) {
  json object = {{"record", "span"},
                 {"id", span.id},
                 {"section", ToString(span.section)},
                 {"device", span.device},
                 {"core", span.core},
                 {"name", span.name},
                 {"start_ps", span.start_ps},
                 {"dur_ps", span.dur_ps},
                 {"exactness", ToString(span.exactness)},
                 {"iteration", span.iteration},
                 {"clock", span.clock}};
  if (span.op >= 0) object["op"] = span.op;
  if (span.bytes > 0) object["bytes"] = span.bytes;
  if (span.start_bounds) object["start_bounds_ps"] = BoundsToJson(*span.start_bounds);
  if (span.duration_bounds) object["dur_bounds_ps"] = BoundsToJson(*span.duration_bounds);
  return object;
}

Span DecodeSpan(const json& object) {
  Span span;
  span.id = object.at("id").get<int64_t>();
  Get(object, "op", span.op);
  span.section = ParseSection(object.at("section").get<std::string>()).value_or(Section::kControl);
  Get(object, "device", span.device);
  Get(object, "core", span.core);
  Get(object, "name", span.name);
  span.start_ps = object.at("start_ps").get<int64_t>();
  span.dur_ps = object.at("dur_ps").get<int64_t>();
  span.exactness =
      object.value("exactness", "exact") == ToString(Exactness::kBounded) ? Exactness::kBounded : Exactness::kExact;
  span.start_bounds = BoundsFromJson(object, "start_bounds_ps");
  span.duration_bounds = BoundsFromJson(object, "dur_bounds_ps");
  Get(object, "iteration", span.iteration);
  Get(object, "clock", span.clock);
  Get(object, "bytes", span.bytes);
  return span;
}

json Encode(const OpRun& run) {
  return {{"record", "op_run"},           {"op", run.op},        {"status", run.status}, {"stage", run.stage},
          {"diagnostic", run.diagnostic}, {"n", run.n},          {"min_ps", run.min_ps}, {"median_ps", run.median_ps},
          {"p95_ps", run.p95_ps},         {"max_ps", run.max_ps}};
}

OpRun DecodeRun(const json& object) {
  OpRun run;
  run.op = object.at("op").get<int64_t>();
  Get(object, "status", run.status);
  Get(object, "stage", run.stage);
  Get(object, "diagnostic", run.diagnostic);
  Get(object, "n", run.n);
  Get(object, "min_ps", run.min_ps);
  Get(object, "median_ps", run.median_ps);
  Get(object, "p95_ps", run.p95_ps);
  Get(object, "max_ps", run.max_ps);
  return run;
}

json Encode(const OutputCompare& compare) {
  return {{"record", "output_compare"},       {"op", compare.op},   {"mode", compare.mode},
          {"comparison", compare.comparison}, {"cpu", compare.cpu}, {"device_values", compare.device}};
}

OutputCompare DecodeCompare(const json& object) {
  OutputCompare compare;
  compare.op = object.at("op").get<int64_t>();
  Get(object, "mode", compare.mode);
  compare.comparison = object.at("comparison").get<Comparison>();
  Get(object, "cpu", compare.cpu);
  Get(object, "device_values", compare.device);
  return compare;
}

json Encode(const Warning& warning) { return {{"record", "warning"}, {"text", warning.text}}; }

json Encode(const Footer& footer) {
  return {{"record", "footer"},
          {"wall_ps", footer.wall_ps},
          {"spans", footer.spans},
          {"whole_model_ps", footer.whole_model_ps}};
}

Footer DecodeFooter(const json& object) {
  Footer footer;
  Get(object, "wall_ps", footer.wall_ps);
  Get(object, "spans", footer.spans);
  Get(object, "whole_model_ps", footer.whole_model_ps);
  return footer;
}

}  // namespace

std::string_view ToString(Section section) { return kSections[static_cast<size_t>(section)].second; }

std::optional<Section> ParseSection(std::string_view text) {
  for (const auto& [section, name] : kSections) {
    if (name == text) return section;
  }
  return std::nullopt;
}

std::string_view ToString(Exactness exactness) { return exactness == Exactness::kExact ? "exact" : "bounded"; }

json ToJson(const Record& record) {
  return std::visit([](const auto& value) { return Encode(value); }, record);
}

void AppendLine(const Record& record, std::string& out) {
  if (const Span* span = std::get_if<Span>(&record)) {
    AppendSpan(*span, out);
  } else {
    out += Dump(ToJson(record));
  }
  out += '\n';
}

Record FromJson(const json& object) {
  const std::string kind = object.at("record").get<std::string>();
  if (kind == "header") return DecodeHeader(object);
  if (kind == "op") return DecodeOp(object);
  if (kind == "span") return DecodeSpan(object);
  if (kind == "op_run") return DecodeRun(object);
  if (kind == "output_compare") return DecodeCompare(object);
  if (kind == "footer") return DecodeFooter(object);
  // A record kind of a later version is noted, not lost in silence.
  return Warning{kind == "warning" ? object.at("text").get<std::string>()
                                   : "unknown record kind '" + kind + "' skipped"};
}

}  // namespace opbyop::optrace
