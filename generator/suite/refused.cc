// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/refused.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <set>

#include "generator/suite/program.h"
#include "generator/suite/yaml_text.h"
#include "manifests/formats/yaml.h"

namespace opbyop::generator {
namespace {

using nlohmann::json;

// Attributes by name, as MLIR text; an attribute without a value is `unit`.
using Attributes = std::map<std::string, std::string>;

// A program in parts that can be changed separately, before it becomes text.
struct Parts {
  std::vector<std::string> in;
  std::vector<std::string> out;
  Attributes with;
  std::string body;
  std::map<std::string, std::string> values;
};

std::map<std::string, std::string> TextsOf(const json& object, const char* key) {
  std::map<std::string, std::string> texts;
  if (!object.contains(key)) return texts;
  for (const auto& [name, value] : object.at(key).items()) texts[name] = YamlText(value);
  return texts;
}

// Returns 12 for "in12" with prefix "in".
std::optional<size_t> IndexAfter(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix) || key.size() == prefix.size()) return std::nullopt;
  size_t index = 0;
  const auto [end, error] = std::from_chars(key.data() + prefix.size(), key.data() + key.size(), index);
  return error == std::errc() && end == key.data() + key.size() ? std::optional(index) : std::nullopt;
}

// Changes one part. Returns the error, or an empty text.
std::string Change(const std::string& key, const std::string& value, Parts& parts) {
  const auto set = [&](std::vector<std::string>& items, size_t index) -> std::string {
    if (index >= items.size()) return fmt::format("`{}` names none of {} types", key, items.size());
    items[index] = value;
    return "";
  };
  if (key == "in") {
    parts.in = SplitList(value);
  } else if (key == "out") {
    parts.out = SplitList(value);
  } else if (key == "body") {
    parts.body = value;
  } else if (const auto operand = IndexAfter(key, "in")) {
    return set(parts.in, *operand);
  } else if (const auto result = IndexAfter(key, "out")) {
    return set(parts.out, *result);
  } else if (key.starts_with('$')) {
    const auto known = parts.values.find(key.substr(1));
    if (known == parts.values.end()) return fmt::format("`{}` is no name of `let`", key);
    known->second = value;
  } else {
    parts.with[key] = value;
  }
  return "";
}

OneProgram Join(const Recipe& base, const Parts& parts) {
  std::vector<std::string> attributes;
  for (const auto& [name, value] : parts.with) {
    attributes.push_back(value == "unit" ? name : fmt::format("{} = {}", name, value));
  }
  OneProgram program{base, parts.values};
  program.recipe.in = fmt::format("{}", fmt::join(parts.in, ", "));
  program.recipe.out = fmt::format("{}", fmt::join(parts.out, ", "));
  program.recipe.with = fmt::format("{}", fmt::join(attributes, ", "));
  program.recipe.body = parts.body;
  return program;
}

// Reads `grid: [replicas, partitions]`.
Grid ReadGrid(YamlMap& map, const json& object) {
  if (!object.contains("grid")) return {};
  const json& numbers = object.at("grid");
  const auto is_count = [](const json& number) { return number.is_number_integer() && number > 0 && number <= 64; };
  if (numbers.is_array() && numbers.size() == 2 && is_count(numbers[0]) && is_count(numbers[1])) {
    return {.replicas = numbers[0], .partitions = numbers[1]};
  }
  map.Fail(ExitCode::kBadInput, "`grid` must be [replicas, partitions], each from 1 to 64");
  return {};
}

// Reads a row of the table, once for each of its ops.
void ReadRow(YamlMap& map, const std::filesystem::path& file, std::vector<BreakableProgram>& programs) {
  const json object = map.ToJson();
  static const std::set<std::string> kKeys = {"ops",  "in",   "captures", "out",    "let",
                                              "with", "body", "symbols",  "breaks", "grid"};
  for (const auto& [key, value] : object.items()) {
    if (!kKeys.contains(key)) map.Fail(ExitCode::kBadInput, fmt::format("unknown key `{}`", key));
  }
  const Parts valid = {.in = SplitList(YamlText(object, "in")),
                       .out = SplitList(YamlText(object, "out")),
                       .with = TextsOf(object, "with"),
                       .body = YamlText(object, "body"),
                       .values = TextsOf(object, "let")};
  Recipe base{.captures = YamlText(object, "captures"),
              .symbols = YamlText(object, "symbols"),
              .file = file,
              .line = map.line()};
  BreakableProgram row{Join(base, valid), {}, ReadGrid(map, object)};
  const json breaks = object.value("breaks", json::object());
  for (const auto& [constraint, entry] : breaks.items()) {
    if (!entry.is_array() || entry.size() < 2 || !entry[0].is_string()) {
      map.Fail(
          ExitCode::kBadInput,
          fmt::format("`{}` of `breaks` must be a list: a short form of the constraint, then the changes", constraint));
      return;
    }
    for (size_t i = 1; i < entry.size(); ++i) {
      Parts parts = valid;
      std::string fault = entry[i].is_object() && !entry[i].empty() ? "" : "a change is a map that names something";
      for (const auto& [key, value] : entry[i].items()) {
        if (fault.empty()) fault = Change(key, YamlText(value), parts);
      }
      if (!fault.empty()) map.Fail(ExitCode::kBadInput, fmt::format("`{}`: {}", constraint, fault));
      row.broken.push_back({constraint, entry[0].get<std::string>(), Join(base, parts)});
    }
  }
  if (row.broken.empty()) map.Fail(ExitCode::kBadInput, "`breaks` names no constraint");
  std::vector<std::string> ops;
  if (object.contains("ops")) {
    const json& names = object.at("ops");
    for (const json& name : names.is_array() ? names : json::array({names})) ops.push_back(YamlText(name));
  }
  if (ops.empty()) map.Fail(ExitCode::kBadInput, "`ops` names no op");
  for (const std::string& name : ops) {
    const std::string op = name.starts_with("chlo.") ? name : "stablehlo." + name;
    BreakableProgram& program = programs.emplace_back(row);
    program.valid.recipe.op = op;
    for (BrokenProgram& broken : program.broken) broken.program.recipe.op = op;
  }
}

}  // namespace

Expected<void> ReadBreakable(const std::filesystem::path& file, std::vector<BreakableProgram>& programs) {
  Expected<YamlMap> top = LoadYaml(file);
  if (!top) return Unexpected(top.error());
  top->Schema(kRefusedSchema);
  top->Map("parts");  // anchors that rows share in YAML
  for (YamlMap& map : top->Maps("programs")) ReadRow(map, file, programs);
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return {};
}

std::string ModuleText(const OneProgram& program, const Grid& grid) {
  const OpText op = WriteOp(program.recipe, program.values, "", std::nullopt);
  std::vector<std::string> names;
  for (size_t i = 0; i < op.results.size(); ++i) names.push_back(fmt::format("%r#{}", i));
  const std::string results = fmt::format("{}", fmt::join(op.results, ", "));
  const std::string returned = names.empty() ? "" : fmt::format(" {} : {}", fmt::join(names, ", "), results);
  const std::string processes =
      grid == Grid() ? ""
                     : fmt::format("attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = {} : i32}} ",
                                   grid.partitions, grid.replicas);
  return fmt::format("module {}{{\n{}func.func @main({}) -> ({}) {{\n{}return{}\n}}\n}}\n", processes, op.symbols,
                     fmt::join(op.arguments, ", "), results, op.op, returned);
}

}  // namespace opbyop::generator
