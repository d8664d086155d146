// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/pair_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "manifests/formats/yaml.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;

// The name of a list of ops that stands for every op of the suite.
constexpr std::string_view kEvery = "every";

std::string FullName(const std::string& op) { return op.starts_with("chlo.") ? op : "stablehlo." + op; }

// Full names, with sets replaced by their ops; empty for every op.
std::vector<std::string> OpsOf(const std::vector<std::string>& names, const ValueSets& sets) {
  std::vector<std::string> ops;
  for (const std::string& name : names) {
    if (name == kEvery) return {};
    const auto set = sets.find(name);
    if (set == sets.end()) {
      ops.push_back(FullName(name));
    } else {
      ops.insert(ops.end(), set->second.begin(), set->second.end());
    }
  }
  return ops;
}

PairRule ReadRule(YamlMap& map, const ValueSets& sets) {
  const std::map<std::string, Partners> pairings = {{"all", Partners::kAll},
                                                    {"for_first", Partners::kForFirst},
                                                    {"for_second", Partners::kForSecond},
                                                    {"itself", Partners::kItself}};
  constexpr int64_t kMost = 1000;
  const auto count = [&](const char* key) { return static_cast<size_t>(map.Integer(key, 1, {1, kMost})); };
  PairRule rule{.name = map.Required("name"),
                .first = OpsOf(map.Strings("first"), sets),
                .second = OpsOf(map.Strings("second"), sets),
                .types = count("types"),
                .elements = map.Strings("elements"),
                .operands = count("operands")};
  const auto pairing = pairings.find(map.String("pairing", "all"));
  if (pairing == pairings.end()) {
    map.Fail(ExitCode::kBadInput, "`pairing` is all, for_first, for_second or itself");
  } else {
    rule.pairing = pairing->second;
  }
  return rule;
}

Expected<std::map<std::string, Recipe>> RecipesByOp(const fs::path& file) {
  std::vector<Recipe> recipes;
  if (const Expected<void> read = ReadRecipes(file, {}, recipes); !read) return Unexpected(read.error());
  std::map<std::string, Recipe> by_op;
  for (Recipe& recipe : recipes) {
    const std::string op = recipe.op;
    by_op.emplace(op, std::move(recipe));
  }
  return by_op;
}

// "3x5"; "scalar" for no dimensions.
std::string ShapeText(const std::vector<int64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string OtherElement(const std::string& element) {
  static const std::map<std::string, std::string> kOthers = {{"f32", "bf16"}, {"f64", "f32"}, {"i32", "i8"},
                                                             {"i64", "i32"},  {"i8", "i32"},  {"i1", "i8"}};
  const auto other = kOthers.find(element);
  return other == kOthers.end() ? "f32" : other->second;
}

}  // namespace

Expected<PairRules> LoadPairRules(const fs::path& folder) {
  Expected<YamlMap> top = LoadYaml(folder / "pairs/rules.yaml");
  if (!top) return Unexpected(top.error());
  top->Schema(kPairRulesSchema);
  PairRules rules;
  ValueSets sets;
  // Sets are a list, because a set may name earlier sets.
  for (YamlMap& map : top->Maps("sets")) {
    const nlohmann::json object = map.ToJson();
    for (const auto& [name, value] : object.items()) sets[name] = OpsOf(map.Strings(name), sets);
  }
  for (YamlMap& map : top->Maps("rules")) rules.rules.push_back(ReadRule(map, sets));
  rules.never_first = top->StringMap("never_first");
  rules.never_second = top->StringMap("never_second");
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  for (const auto& [name, recipes] : {std::pair("before.yaml", &rules.before), std::pair("after.yaml", &rules.after)}) {
    Expected<std::map<std::string, Recipe>> read = RecipesByOp(folder / "pairs" / name);
    if (!read) return Unexpected(read.error());
    *recipes = std::move(*read);
  }
  if (const Expected<void> read = ReadRecipes(folder / "pairs/more.yaml", {}, rules.more); !read) {
    return Unexpected(read.error());
  }
  return rules;
}

std::map<std::string, std::string> ShapeNames(const std::vector<int64_t>& shape, const std::string& element) {
  std::map<std::string, std::string> names = {
      {"S", ShapeText(shape)}, {"T", element}, {"other", OtherElement(element)}, {"tail", ""}, {"after", ""}};
  const auto rank = static_cast<int64_t>(shape.size());
  const auto numbers = [&](int64_t count, const std::function<int64_t(int64_t)>& at) {
    std::vector<int64_t> list;
    list.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) list.push_back(at(i));
    return list;
  };
  const auto of_each = [&](const std::function<int64_t(int64_t)>& change) {
    return numbers(rank, [&](int64_t i) { return change(shape[static_cast<size_t>(i)]); });
  };
  const auto list = [](const std::vector<int64_t>& items) { return fmt::format("{}", fmt::join(items, ", ")); };
  const auto listed = [&](int64_t count) {
    return count > 0 ? ": " + list(numbers(count, [](int64_t i) { return i + 1; })) : "";
  };
  names["after"] = listed(rank);
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  names["flat"] = rank == 1 ? fmt::format("1x{}", elements) : fmt::format("{}", elements);
  if (rank == 0) return names;
  names["turned"] = ShapeText({shape.rbegin(), shape.rend()});
  names["rest"] = ShapeText({shape.begin() + 1, shape.end()});
  names["tail"] = listed(rank - 1);
  names["more"] = ShapeText(of_each([](int64_t size) { return size + 1; }));
  if (std::ranges::all_of(shape, [](int64_t size) { return size > 1; })) {
    names["less"] = ShapeText(of_each([](int64_t size) { return size - 1; }));
    names["lasts"] = list(of_each([](int64_t size) { return size - 1; }));
  }
  if (shape[0] > 1) {
    std::vector<int64_t> part = shape;
    part[0] = shape[0] / 2;
    names["upper"] = ShapeText(part);
    part[0] = shape[0] - part[0];
    names["lower"] = ShapeText(part);
  }
  names["sizes"] = list(shape);
  names["ends"] = list(of_each([](int64_t size) { return size + 1; }));
  names["zeros"] = list(of_each([](int64_t) { return 0; }));
  names["ones"] = list(of_each([](int64_t) { return 1; }));
  names["backwards"] = list(numbers(rank, [&](int64_t i) { return rank - 1 - i; }));
  names["last"] = std::to_string(rank - 1);
  return names;
}

}  // namespace opbyop::generator
