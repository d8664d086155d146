// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "generator/suite/refused.h"
#include "generator/suite/yaml_text.h"
#include "manifests/formats/glob.h"
#include "manifests/formats/yaml.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The key of an alternative that is not a name.
constexpr std::string_view kCovers = "covers";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \n");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// "C1-C3, S2" -> {"C1-C3", "S2"}
std::vector<std::string> Items(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const std::string_view item = Trimmed(text.substr(0, comma)); !item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

// The value, or the values of the set that it names; lists are flattened.
std::vector<std::string> Values(const json& value, const ValueSets& sets) {
  if (value.is_array()) {
    std::vector<std::string> all;
    for (const json& item : value) {
      for (std::string& text : Values(item, sets)) all.push_back(std::move(text));
    }
    return all;
  }
  std::string text = YamlText(value);
  const auto set = sets.find(text);
  return set == sets.end() ? std::vector<std::string>{std::move(text)} : set->second;
}

// Every combination of the values of one alternative: {T: [f32, f64], S: 2x3}.
Axis ReadAlternative(const json& object, const ValueSets& sets) {
  Axis axis = {{}};
  for (const auto& [name, value] : object.items()) {
    if (name == kCovers) continue;
    Axis grown;
    for (const Binding& binding : axis) {
      for (const std::string& text : Values(value, sets)) {
        grown.push_back(binding);
        grown.back().values[name] = text;
      }
    }
    axis = std::move(grown);
  }
  if (object.contains(kCovers)) {
    for (Binding& binding : axis) binding.covers = Items(YamlText(object.at(std::string(kCovers))));
  }
  return axis;
}

// Reads a map, or a list of maps and nested lists.
void ReadAxis(const json& value, const ValueSets& sets, Axis& axis) {
  if (value.is_object()) {
    for (Binding& binding : ReadAlternative(value, sets)) axis.push_back(std::move(binding));
  } else if (value.is_array()) {
    for (const json& item : value) ReadAxis(item, sets, axis);
  }
}

class Reader {
 public:
  Reader(fs::path file, const ValueSets& sets, std::vector<Recipe>& recipes)
      : file_(std::move(file)), sets_(sets), recipes_(recipes) {}

  Expected<void> Read() {
    Expected<YamlMap> top = LoadYaml(file_);
    if (!top) return Unexpected(top.error());
    top->Schema(kRecipesSchema);
    ValueSets sets = sets_;
    ValueSets own_sets;
    if (std::optional<YamlMap> own = top->Map("sets")) {
      const json object = own->ToJson();
      for (const auto& [name, value] : object.items()) {
        sets[name] = Values(value, sets);
        own_sets[name] = Values(value, own_sets);
      }
    }
    top->Map("parts");  // anchors that recipes share in YAML
    for (YamlMap& map : top->Maps("recipes")) ReadRecipe(map, sets, own_sets);
    if (const auto failure = top->Finish()) return Unexpected(*failure);
    return {};
  }

 private:
  // Each file has its own sets of ops: an op may have the name of a set of types.
  void ReadRecipe(YamlMap& map, const ValueSets& sets, const ValueSets& sets_of_ops) {
    const json object = map.ToJson();
    static const std::set<std::string> kKeys = {"ops",  "in",      "captures", "out",   "with", "body",
                                                "over", "symbols", "covers",   "smoke", "full"};
    for (const auto& [key, value] : object.items()) {
      if (!kKeys.contains(key)) map.Fail(ExitCode::kBadInput, fmt::format("unknown key `{}`", key));
    }
    const auto text = [&](const char* key) { return YamlText(object, key); };
    Recipe recipe{.in = text("in"),
                  .captures = text("captures"),
                  .out = text("out"),
                  .with = text("with"),
                  .body = text("body"),
                  .symbols = text("symbols"),
                  .covers = Items(text("covers")),
                  .file = file_,
                  .line = map.line()};
    constexpr size_t kSmokeValues = 6;
    recipe.smoke = object.value("smoke", kSmokeValues);
    if (object.contains("full")) recipe.full = object.at("full").get<size_t>();
    if (object.contains("over")) {
      for (const json& axis : object.at("over")) {
        ReadAxis(axis, sets, recipe.over.emplace_back());
        if (recipe.over.back().empty()) map.Fail(ExitCode::kBadInput, "an axis of `over` has no value");
      }
    }
    const std::vector<std::string> ops =
        object.contains("ops") ? Values(object.at("ops"), sets_of_ops) : std::vector<std::string>{};
    if (ops.empty()) map.Fail(ExitCode::kBadInput, "`ops` names no op");
    for (const std::string& op : ops) {
      recipe.op = op.starts_with("chlo.") ? op : "stablehlo." + op;
      recipes_.push_back(recipe);
    }
  }

  fs::path file_;
  const ValueSets& sets_;
  std::vector<Recipe>& recipes_;
};

// The YAML files of a folder, by name.
Expected<std::vector<fs::path>> TablesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (error) return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string_view ShortName(std::string_view op) {
  constexpr std::string_view kPrefix = "stablehlo.";
  return op.starts_with(kPrefix) ? op.substr(kPrefix.size()) : op;
}

bool MatchesOp(std::string_view glob, std::string_view op) {
  return GlobMatches(glob, op) || GlobMatches(glob, ShortName(op));
}

std::vector<std::string> FullIds(std::string_view op, const std::vector<std::string>& covers) {
  std::vector<std::string> ids;
  for (const std::string& item : covers) {
    if (item.find('.') != std::string::npos) {
      ids.push_back(item);
      continue;
    }
    const size_t dash = item.find('-');
    int first = 0;
    int last = 0;
    const auto number = [&](size_t at, int& value) {
      return at < item.size() && std::from_chars(item.data() + at, item.data() + item.size(), value).ec == std::errc();
    };
    if (dash == std::string::npos || !number(1, first) || !number(dash + 2, last)) {
      ids.push_back(fmt::format("{}.{}", ShortName(op), item));
      continue;
    }
    for (int i = first; i <= last; ++i) ids.push_back(fmt::format("{}.{}{}", ShortName(op), item[0], i));
  }
  return ids;
}

Expected<void> ReadRecipes(const fs::path& file, const ValueSets& sets, std::vector<Recipe>& recipes) {
  return Reader(file, sets, recipes).Read();
}

Expected<Suite> LoadSuite(const fs::path& folder) {
  Expected<YamlMap> top = LoadYaml(folder / "suite.yaml");
  if (!top) return Unexpected(top.error());
  top->Schema("opbyop-suite/1");
  Suite suite{.name = top->Required("name"), .version = top->Required("version")};
  // Sets are a list, because a set may name earlier sets.
  for (YamlMap& map : top->Maps("sets")) {
    const json object = map.ToJson();
    for (const auto& [name, value] : object.items()) suite.sets[name] = Values(value, suite.sets);
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  const Expected<std::vector<fs::path>> recipes = TablesIn(folder / "recipes");
  if (!recipes) return Unexpected(recipes.error());
  for (const fs::path& file : *recipes) {
    if (Expected<void> read = ReadRecipes(file, suite.sets, suite.recipes); !read) return Unexpected(read.error());
  }
  std::error_code error;
  if (!fs::exists(folder / "refused", error)) return suite;
  const Expected<std::vector<fs::path>> refused = TablesIn(folder / "refused");
  if (!refused) return Unexpected(refused.error());
  for (const fs::path& file : *refused) {
    if (Expected<void> read = ReadBreakable(file, suite.breakable); !read) return Unexpected(read.error());
  }
  return suite;
}

}  // namespace opbyop::generator
