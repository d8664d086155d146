// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/worker_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "manifests/cases/grid.h"
#include "manifests/formats/json.h"
#include "protocol/fields.h"
#include "support/text/safe_text.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

constexpr double kMaxMicroseconds = 1e15;  // about thirty years
constexpr double kMaxMilliseconds = 1e12;

Timing TimingOf(const Json& object, Fields& outer) {
  if (!object.is_object()) {
    outer.Fail("timing", object, "an object");
    return {};
  }
  Fields fields(object, "a timing");
  const std::string clock = fields.Text("clock", "host");
  if (clock != "host" && clock != "device") fields.Fail("clock", clock, "host or device");
  const Timing timing = {fields.Count("n"),
                         fields.Number("min_us", kMaxMicroseconds),
                         fields.Number("median_us", kMaxMicroseconds),
                         fields.Number("p95_us", kMaxMicroseconds),
                         clock == "device",
                         fields.Flag("first_call")};
  outer.AdoptError(fields);
  return timing;
}

// Converts the object. Values that from_json does not check are checked first, and a text that is too long is cut.
std::optional<Comparison> ComparisonOf(const Json& object, Fields& outer) {
  if (!object.is_object()) {
    outer.Fail("comparisons", object, "a list of objects");
    return std::nullopt;
  }
  Fields fields(object, "a comparison");
  constexpr std::array kCounts = {"output", "elements", "mismatches", "unbounded", "nan_mismatches", "inf_mismatches"};
  for (const char* key : kCounts) fields.Count(key);
  fields.Integer("process", 0, 0, Grid::kMostProcesses);
  if (const Json* worst = fields.Find("worst"); worst != nullptr) {
    if (!worst->is_array() || worst->size() > kMaxWorstElements) {
      fields.Fail("worst", worst->size(), fmt::format("a list of at most {} elements", kMaxWorstElements));
    } else {
      for (const Json& element : *worst) {
        const auto index = element.is_object() ? element.find("index") : element.end();
        const bool sound = element.is_object() && index != element.end() && index->is_array() &&
                           index->size() <= kMaxRank &&
                           std::ranges::all_of(*index, [](const Json& i) { return ExactInteger(i).has_value(); });
        if (!sound) fields.Fail("worst", element, "elements with their index");
      }
    }
  }
  outer.AdoptError(fields);
  if (!fields.error().empty()) return std::nullopt;
  try {
    auto comparison = object.get<Comparison>();
    comparison.dtype = SafeLine(comparison.dtype, kMaxNameBytes);
    comparison.rule = SafeLine(comparison.rule, kMaxDiagnosticBytes);
    comparison.relaxed = SafeLine(comparison.relaxed, kMaxDiagnosticBytes);
    for (Comparison::Element& element : comparison.worst) {
      element.got = SafeLine(element.got, kMaxNameBytes);
      element.expected = SafeLine(element.expected, kMaxNameBytes);
    }
    return comparison;
  } catch (const Json::exception& error) {
    outer.Fail("comparisons", object, fmt::format("well-formed ({})", Quote(error.what())));
    return std::nullopt;
  }
}

std::vector<Comparison> ComparisonsOf(const Json& list, Fields& outer) {
  std::vector<Comparison> comparisons;
  if (!list.is_array() || list.size() > kMaxTensors) {
    outer.Fail("comparisons", list, fmt::format("a list of at most {}", kMaxTensors));
    return comparisons;
  }
  for (const Json& object : list) {
    std::optional<Comparison> comparison = ComparisonOf(object, outer);
    if (!comparison) break;
    comparisons.push_back(std::move(*comparison));
  }
  return comparisons;
}

std::vector<std::string> DigestsOf(const Json& list, Fields& outer) {
  const auto is_digest = [](const Json& item) {
    return item.is_string() && item.get_ref<const std::string&>().size() <= kMaxNameBytes;
  };
  if (list.is_array() && list.size() <= kMaxTensors && std::ranges::all_of(list, is_digest)) {
    return list.get<std::vector<std::string>>();
  }
  outer.Fail("input_digests", list, fmt::format("a list of at most {} digests", kMaxTensors));
  return {};
}

std::string SpansOf(const Json& value, Fields& outer) {
  const auto plain = [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; };
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text.size() <= kMaxSpansBytes && std::ranges::all_of(text, plain)) return text;
  }
  outer.Fail("spans", value, fmt::format("lines of ASCII, at most {} bytes", kMaxSpansBytes));
  return "";
}

// Returns the members of an object by name. The names are safe to print.
template <typename Value, typename Reader>
std::map<std::string, Value> MembersOf(const char* key, std::string_view expected, Fields& outer, Reader read) {
  std::map<std::string, Value> members;
  const Json* object = outer.Find(key);
  if (object == nullptr) return members;
  if (!object->is_object() || object->size() > kMaxProperties) {
    outer.Fail(key, object->is_object() ? Json(object->size()) : *object,
               fmt::format("an object of at most {} {}", kMaxProperties, expected));
    return members;
  }
  for (const auto& [name, value] : object->items()) {
    const std::optional<Value> member = read(value);
    if (!member) {
      outer.Fail(key, value, fmt::format("an object of {}", expected));
      break;
    }
    members.emplace(SafeLine(name, kMaxNameBytes), *member);
  }
  return members;
}

std::map<std::string, double> FiguresOf(const char* key, Fields& outer) {
  return MembersOf<double>(key, "numbers", outer, [](const Json& value) -> std::optional<double> {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
    return value.get<double>();
  });
}

std::map<std::string, std::string> PropertiesOf(Fields& outer) {
  return MembersOf<std::string>("properties", "texts", outer, [](const Json& value) -> std::optional<std::string> {
    if (!value.is_string()) return std::nullopt;
    return SafeLine(value.get_ref<const std::string&>(), kMaxVersionBytes);
  });
}

std::vector<Placement> PlacementListOf(const char* key, Fields& outer) {
  std::vector<Placement> list;
  const Json* items = outer.Find(key);
  if (items == nullptr) return list;
  if (!items->is_array() || items->size() > kMaxTensors) {
    outer.Fail(key, *items, fmt::format("a list of at most {}", kMaxTensors));
    return list;
  }
  for (const Json& item : *items) {
    const auto grid = item.is_object() ? item.find("grid") : item.end();
    const bool sound = item.is_object() && grid != item.end() && grid->is_array() && grid->size() <= kMaxRank &&
                       std::ranges::all_of(*grid, [](const Json& i) { return ExactInteger(i).has_value(); });
    if (!sound) {
      outer.Fail(key, item, "objects with memory, layout and grid");
      return {};
    }
    Fields fields(item, "a placement");
    list.push_back({fields.Line("memory", kMaxNameBytes), fields.Line("layout", kMaxNameBytes), {}});
    for (const Json& extent : *grid) list.back().grid.push_back(*ExactInteger(extent));
    outer.AdoptError(fields);
  }
  return list;
}

Placements PlacementsOf(const Json& object, Fields& outer) {
  if (!object.is_object()) {
    outer.Fail("placements", object, "an object");
    return {};
  }
  Fields fields(object, "placements");
  Placements placements{PlacementListOf("inputs", fields), PlacementListOf("outputs", fields)};
  outer.AdoptError(fields);
  return placements;
}

std::vector<TensorType> TypesOf(const char* key, Fields& outer) {
  std::vector<TensorType> types;
  outer.List(key, "objects with shape and dtype", [&](const Json& item) {
    const auto shape = item.is_object() ? item.find("shape") : item.end();
    const auto dtype = item.is_object() ? item.find("dtype") : item.end();
    const auto is_extent = [](const Json& i) { return ExactInteger(i).value_or(-1) >= 0; };
    if (types.size() == kMaxTensors || shape == item.end() || dtype == item.end() || !shape->is_array() ||
        shape->size() > kMaxRank || !std::ranges::all_of(*shape, is_extent) || !dtype->is_string()) {
      return false;
    }
    types.push_back({{}, SafeLine(dtype->get_ref<const std::string&>(), kMaxNameBytes)});
    for (const Json& extent : *shape) types.back().shape.push_back(*ExactInteger(extent));
    return true;
  });
  return types;
}

SmallerProgram SmallerOf(const Json& object, Fields& outer) {
  if (!object.is_object()) {
    outer.Fail("smaller", object, "an object");
    return {};
  }
  Fields fields(object, "smaller");
  SmallerProgram smaller{fields.Text("program"), fields.Line("what", kMaxNameBytes), TypesOf("inputs", fields),
                         TypesOf("outputs", fields)};
  outer.AdoptError(fields);
  return smaller;
}

Done DoneOf(Fields& fields) {
  Done done;
  done.status = fields.StatusOf("status");
  done.diagnostic = fields.Line("diagnostic", kMaxDiagnosticBytes);
  done.peak_rss_kb = fields.Count("peak_rss_kb");
  if (fields.Find("artifact_bytes") != nullptr) done.fields.artifact_bytes = fields.Count("artifact_bytes");
  done.fields.kept = fields.Flag("kept");
  done.fields.saved = fields.Flag("saved");
  done.fields.loaded = fields.Flag("loaded");
  done.fields.longest_ns = fields.Count("longest_ns");
  done.fields.why_host_clock = fields.Line("why_host_clock", kMaxDiagnosticBytes);
  done.fields.why_no_profile = fields.Line("why_no_profile", kMaxDiagnosticBytes);
  if (const Json* timing = fields.Find("timing")) done.fields.timing = TimingOf(*timing, fields);
  if (const Json* spans = fields.Find("spans")) done.fields.spans = SpansOf(*spans, fields);
  if (const Json* list = fields.Find("comparisons")) done.fields.comparisons = ComparisonsOf(*list, fields);
  done.fields.same_as = fields.Line("same_as", kMaxNameBytes);
  if (const Json* smaller = fields.Find("smaller")) done.fields.smaller = SmallerOf(*smaller, fields);
  done.fields.cost = FiguresOf("cost", fields);
  done.fields.memory = FiguresOf("memory", fields);
  if (const Json* placements = fields.Find("placements")) done.fields.placements = PlacementsOf(*placements, fields);
  done.fields.partitioning = fields.Line("partitioning", kMaxDiagnosticBytes);
  if (const Json* list = fields.Find("input_digests")) done.fields.input_digests = DigestsOf(*list, fields);
  return done;
}

Greeting ParseGreeting(Fields& fields) {
  constexpr int64_t kMaxCores = 1 << 20;
  return {
      fields.Line("protocol", kMaxNameBytes),
      {fields.Line("role", kMaxNameBytes), fields.Line("name", kMaxNameBytes), fields.Line("version", kMaxVersionBytes),
       fields.Integer("cores", 0, 0, kMaxCores), fields.Line("compile_only", kMaxDiagnosticBytes), PropertiesOf(fields),
       fields.Flag("releases"), fields.Flag("ahead"), fields.Flag("profiles"),
       fields.Integer("devices", 1, 1, Grid::kMostProcesses), fields.Flag("shardings")}};
}

StageBegin BeginOf(Fields& fields) {
  StageBegin begin{fields.Line("stage", kMaxNameBytes), std::nullopt};
  if (fields.Find("ns") != nullptr) begin.ns = fields.Integer("ns", 0, 0, std::numeric_limits<int64_t>::max());
  return begin;
}

StageEnd EndOf(Fields& fields) {
  return {fields.Line("stage", kMaxNameBytes), fields.StatusOf("status"), fields.Number("ms", kMaxMilliseconds),
          fields.Line("diagnostic", kMaxDiagnosticBytes)};
}

tl::unexpected<Error> Broken(std::string how) { return MakeError(ExitCode::kBadInput, std::move(how)); }

}  // namespace

Expected<WorkerMessage> ParseWorkerMessage(std::string_view frame) {
  constexpr JsonLimits kLimits = {.depth = kMaxMessageDepth, .values = kMaxMessageValues};
  if (const Expected<void> within = CheckJsonLimits(frame, kLimits); !within) {
    return Broken("sent a reply " + within.error().message);
  }
  const Json json = ParseJson(frame).value_or(Json());
  if (!json.is_object()) return Broken(fmt::format("sent a reply that is no JSON object: '{}'", Quote(frame)));
  WorkerMessage message;
  Fields event(json, "a reply");
  message.event = event.Line("event", kMaxNameBytes);
  Fields fields(json, fmt::format("'{}'", message.event));
  const std::string state = message.event == "stage" ? fields.Line("state", kMaxNameBytes) : "";
  if (message.event == "hello") {
    message.body = ParseGreeting(fields);
  } else if (message.event == "done") {
    message.body = DoneOf(fields);
  } else if (state == "begin") {
    message.body = BeginOf(fields);
  } else if (state == "end") {
    message.body = EndOf(fields);
  } else {
    return Broken(fmt::format("sent '{}', which is no event of the protocol", QuoteJson(json)));
  }
  if (fields.Find("id") != nullptr) {
    message.id = fields.Integer("id", 0, 0, std::numeric_limits<int64_t>::max());
  }
  for (const Fields* read : {&event, &fields}) {
    if (!read->error().empty()) return Broken(read->error());
  }
  return message;
}

}  // namespace opbyop::protocol
