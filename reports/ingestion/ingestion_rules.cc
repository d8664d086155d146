// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/ingestion_rules.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <regex>
#include <set>

namespace opbyop::reports {
namespace {

using Json = nlohmann::json;

const std::string kShape = R"(\[(?:-?\d+(?:, -?\d+)*)?\])";
const std::string kString = R"('(?:[^'\\]|\\.)*')";

std::optional<int64_t> IntegerAfter(std::string_view stem, char separator) {
  const size_t at = stem.rfind(separator);
  if (at == std::string_view::npos || at + 1 == stem.size()) return std::nullopt;
  const std::string digits(stem.substr(at + 1));
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoll(digits);
}

std::string_view Extension(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : name.substr(dot);
}

std::string_view Stem(std::string_view name) { return name.substr(0, name.rfind('.')); }

bool CheckRecord(const std::string& name, const Json& record, XlaRecord& out, std::string& why) {
  out.name = name;
  for (const auto& [key, value] : record.items()) {
    if (!value.is_string()) {
      why = fmt::format("{}: {} is no string", name, key);
      return false;
    }
    out.fields[key] = value.get<std::string>();
  }
  for (const char* key : {"test_start_ts", "test_end_ts", "success", "skipped", "op_name", "inputs", "outputs"}) {
    if (!out.fields.count(key)) {
      why = name + ": no " + key;
      return false;
    }
  }
  for (const char* key : {"test_start_ts", "test_end_ts"}) {
    if (!IsPython310Timestamp(out.fields[key])) {
      why = name + ": " + key + " is " + out.fields[key];
      return false;
    }
  }
  for (const char* key : {"inputs", "outputs"}) {
    if (!ReadTensorDescs(out.fields[key])) {
      why = name + ": " + key + " is " + out.fields[key];
      return false;
    }
  }
  return true;
}

// The reason to drop the case; empty if the reader accepts it.
std::string CheckCase(const pugi::xml_node& node, BuilderCase& out) {
  for (const char* key : {"time", "name", "classname"}) {
    if (!node.attribute(key)) return std::string("no attribute ") + key;
  }
  out.name = node.attribute("name").value();
  out.classname = node.attribute("classname").value();
  for (const pugi::xml_node& property : node.child("properties").children("property")) {
    const auto [at, is_new] =
        out.properties.emplace(property.attribute("name").value(), property.attribute("value").value());
    if (!is_new) return "property twice: " + at->first;
  }
  if (!out.properties.count("backend")) return "no backend";
  if (const auto stage = out.properties.find("failure_stage"); stage != out.properties.end()) {
    static const std::set<std::string> kStages = {"compile", "golden", "runtime", "success"};
    if (!kStages.count(stage->second)) return "failure_stage " + stage->second;
  }
  if (out.properties.count("input_shapes")) {
    const Json shapes = Json::parse(out.properties["input_shapes"], nullptr, false);
    const auto dtypes = ReadPythonStrings(out.properties["input_dtypes"]);
    if (!shapes.is_array() || !dtypes || shapes.size() != dtypes->size()) return "input_shapes without input_dtypes";
  }
  const auto failures = node.select_nodes("failure|error").size();
  if (failures > 1) return "more than one failure";
  out.failed = failures == 1;
  const pugi::xml_node skipped = node.child("skipped");
  out.skipped = !skipped.empty();
  if (skipped && !(skipped.attribute("type") && skipped.attribute("message"))) return "skipped without type or message";
  return "";
}

}  // namespace

std::optional<int64_t> JobIdOf(std::string_view file_name) {
  static const std::set<std::string_view> kExtensions = {".tar", ".xml", ".json"};
  if (!kExtensions.count(Extension(file_name)) || file_name.starts_with("report_perf_")) return std::nullopt;
  const std::string_view stem = Stem(file_name);
  if (const auto id = IntegerAfter(stem, '_')) return id;
  return IntegerAfter(stem, '-');
}

bool BenchmarkCollectorTakes(std::string_view file_name) {
  return Extension(file_name) == ".json" && IntegerAfter(Stem(file_name), '_').has_value();
}

bool IsPython310Timestamp(std::string_view text) {
  static const std::regex kForm(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}(\d{3})?)?[+-]\d\d:\d\d)");
  return std::regex_match(text.begin(), text.end(), kForm);
}

std::optional<std::vector<std::map<std::string, std::string>>> ReadTensorDescs(const std::string& text) {
  static const std::regex kItem(R"(^TensorDesc\(([^)]*)\)(, )?)");
  static const std::regex kFields("shape=(" + kShape + "), data_type=(" + kString + "), buffer_type=(" + kString +
                                  "), layout=(" + kString + "), grid_shape=(" + kShape + ")");
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<std::map<std::string, std::string>> list;
  std::string rest = text.substr(1, text.size() - 2);
  std::smatch item;
  while (!rest.empty()) {
    std::smatch fields;
    if (!std::regex_search(rest, item, kItem)) return std::nullopt;
    const std::string inner = item[1];
    if (!std::regex_match(inner, fields, kFields)) return std::nullopt;
    list.push_back({{"shape", fields[1]},
                    {"data_type", fields[2]},
                    {"buffer_type", fields[3]},
                    {"layout", fields[4]},
                    {"grid_shape", fields[5]}});
    rest = item.suffix();
  }
  return list;
}

std::optional<std::vector<std::string>> ReadPythonStrings(const std::string& text) {
  static const std::regex kList("\\[(?:" + kString + "(?:, " + kString + ")*)?\\]");
  static const std::regex kItem(kString);
  if (!std::regex_match(text, kList)) return std::nullopt;
  std::vector<std::string> list;
  for (std::sregex_iterator at(text.begin(), text.end(), kItem), end; at != end; ++at) {
    list.push_back(at->str().substr(1, at->str().size() - 2));
  }
  return list;
}

std::optional<std::vector<XlaRecord>> ReadXlaJson(const std::string& text, std::string& why) {
  static constexpr std::string_view kPrefix = "OpTest model for: ";
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("tests")) {
    why = "no JSON object with tests";
    return std::nullopt;
  }
  std::vector<XlaRecord> records;
  for (const Json& test : json["tests"]) {
    for (const Json& property : test["user_properties"]) {
      for (const auto& [key, record] : property.items()) {
        if (!key.starts_with(kPrefix)) continue;
        if (!CheckRecord(key.substr(kPrefix.size()), record, records.emplace_back(), why)) return std::nullopt;
      }
    }
  }
  return records;
}

std::optional<std::vector<BuilderCase>> ReadBuilderXml(const std::string& text, std::string& why) {
  pugi::xml_document document;
  if (const auto parsed = document.load_string(text.c_str()); !parsed) {
    why = parsed.description();
    return std::nullopt;
  }
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  if (std::string_view(suite.attribute("name").value()) != "pytest") why = "the first suite is not pytest";
  if (!suite.attribute("timestamp")) why = "no timestamp";
  for (const char* name : {"card", "git_sha"}) {
    if (!suite.child("properties").find_child_by_attribute("property", "name", name)) why = std::string("no ") + name;
  }
  std::vector<BuilderCase> cases;
  for (const pugi::xml_node& node : suite.children("testcase")) {
    const std::string wrong = CheckCase(node, cases.emplace_back());
    if (!wrong.empty()) why = cases.back().name + ": " + wrong;
  }
  if (!why.empty()) return std::nullopt;
  return cases;
}

}  // namespace opbyop::reports
