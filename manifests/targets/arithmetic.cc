// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/arithmetic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "manifests/formats/yaml.h"
#include "manifests/status/status.h"

namespace opbyop {
namespace {

constexpr std::array<std::string_view, 4> kProducts = {"convolution", "dot", "dot_general", "dynamic_conv"};

constexpr std::array kFactorFormats = {
    FactorFormat{"f32", ""},
    FactorFormat{"tf32", "tf32"},
    FactorFormat{"tf32_toward_zero", "tf32", 1, 1, true},
    FactorFormat{"tf32x3", "tf32", 2, 3, true},
    FactorFormat{"f16", "f16"},
    FactorFormat{"f16_toward_zero", "f16", 1, 1, true},
    FactorFormat{"bf16", "bf16"},
    FactorFormat{"bf16_toward_zero", "bf16", 1, 1, true},
    FactorFormat{"bf16x3", "bf16", 2, 3, true},
    FactorFormat{"bf16x6", "bf16", 3, 6, true},
    FactorFormat{"bf16x9", "bf16", 3, 9, true},
};

constexpr const char* kTowardZero = "toward_zero";
constexpr const char* kToNearest = "to_nearest";

// The values of `sums_of_replicas`.
constexpr const char* kExcess = "excess_precision";
constexpr const char* kReplicas = "sums_of_replicas";
constexpr const char* kEqual = "equal";
constexpr const char* kMayDiffer = "may_differ";

// The values of `flushes_subnormals`, and the flag that each sets.
struct FlushedPart {
  std::string_view word;
  bool FlushedParts::* flag;
};
constexpr std::array kFlushedParts = {FlushedPart{"operands", &FlushedParts::operands},
                                      FlushedPart{"results", &FlushedParts::results},
                                      FlushedPart{"signs", &FlushedParts::signs}};

template <typename List>
std::string NamesOf(const List& list, std::string_view List::value_type::* name) {
  std::vector<std::string_view> names;
  names.reserve(list.size());
  for (const auto& entry : list) names.push_back(entry.*name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void CheckProduct(YamlMap& map, std::string_view key, std::string_view op) {
  if (std::ranges::find(kProducts, op) != kProducts.end()) return;
  map.Fail(ExitCode::kBadInput, fmt::format("`{}` of `{}`: only {} multiply", key, op, fmt::join(kProducts, ", ")));
}

// True for rounding toward zero.
bool ReadRounding(YamlMap& map, const std::string& key) {
  const std::string word = map.String(key, kToNearest);
  if (word != kTowardZero && word != kToNearest) {
    map.Fail(ExitCode::kBadInput, fmt::format("`{}` is `{}` or `{}`, found '{}'", key, kToNearest, kTowardZero, word));
  }
  return word == kTowardZero;
}

bool ReadReplicas(YamlMap& top) {
  const std::string word = top.String(kReplicas, kEqual);
  if (word != kEqual && word != kMayDiffer) {
    top.Fail(ExitCode::kBadInput, fmt::format("`{}` is `{}` or `{}`, found '{}'", kReplicas, kEqual, kMayDiffer, word));
  }
  return word == kMayDiffer;
}

std::map<std::string, std::string, std::less<>> ReadPrecision(YamlMap& top) {
  const std::map<std::string, std::string> precision = top.StringMap("precision");
  for (const auto& [op, name] : precision) {
    CheckProduct(top, "precision", op);
    if (FindFactorFormat(name) != nullptr) continue;
    top.Fail(ExitCode::kBadInput, fmt::format("unknown precision `{}` of {}: expected {}", name, op,
                                              NamesOf(kFactorFormats, &FactorFormat::name)));
  }
  return {precision.begin(), precision.end()};
}

Accumulator ReadAccumulator(YamlMap& map) {
  constexpr int64_t kMostTerms = int64_t{1} << 30;
  Accumulator out;
  out.ops = map.Strings("ops");
  if (out.ops.empty())
    map.Fail(ExitCode::kBadInput, "`ops` of `accumulation` is missing: it lists the ops that accumulate in this way");
  for (const std::string& op : out.ops) CheckProduct(map, "accumulation", op);
  out.operands = map.String("operands");
  out.bits = map.Integer("bits", out.bits, {2, 53});
  out.toward_zero = ReadRounding(map, "rounding");
  out.block = map.Integer("block", out.block, {1, kMostTerms});
  out.promoted = map.Integer("promoted", out.promoted, {0, kMostTerms});
  map.Finish();
  return out;
}

FlushedParts ReadFlushing(YamlMap& top) {
  FlushedParts out;
  const std::string key = "flushes_subnormals";
  if (!top.IsList(key)) {
    out.operands = out.results = top.Bool(key, false);
    return out;
  }
  for (const std::string& word : top.Strings(key)) {
    const auto* const part = std::ranges::find(kFlushedParts, word, &FlushedPart::word);
    if (part != kFlushedParts.end()) {
      out.*part->flag = true;
    } else {
      top.Fail(ExitCode::kBadInput, fmt::format("`{}` is true, false or a list of {}, found '{}'", key,
                                                NamesOf(kFlushedParts, &FlushedPart::word), word));
    }
  }
  if (out.signs && !out.any()) {
    top.Fail(ExitCode::kBadInput, fmt::format("`{}` has `signs` without `operands` or `results`", key));
  }
  return out;
}

std::vector<std::string_view> FlushedWords(const FlushedParts& flushes) {
  std::vector<std::string_view> words;
  for (const FlushedPart& part : kFlushedParts) {
    if (flushes.*part.flag) words.push_back(part.word);
  }
  return words;
}

}  // namespace

const FactorFormat* FindFactorFormat(std::string_view name) {
  const auto* const found = std::ranges::find(kFactorFormats, name, &FactorFormat::name);
  return found == kFactorFormats.end() ? nullptr : found;
}

const Accumulator* Arithmetic::AccumulatorOf(std::string_view op, std::string_view lhs, std::string_view rhs) const {
  const auto found = std::ranges::find_if(accumulation, [&](const Accumulator& a) {
    const auto fits = [&](std::string_view type) {
      return a.operands.empty() ? type.find("f64") == type.npos : type.starts_with(a.operands);
    };
    return std::ranges::find(a.ops, op) != a.ops.end() && fits(lhs) && fits(rhs);
  });
  return found == accumulation.end() ? nullptr : &*found;
}

Arithmetic ReadArithmetic(YamlMap& top) {
  Arithmetic out;
  out.precision = ReadPrecision(top);
  for (YamlMap& map : top.Maps("accumulation")) out.accumulation.push_back(ReadAccumulator(map));
  out.stores_toward_zero = ReadRounding(top, "stores");
  out.flushes = ReadFlushing(top);
  out.excess_precision = top.Bool(kExcess, false);
  out.replicas_may_differ = ReadReplicas(top);
  return out;
}

nlohmann::json ArithmeticToJson(const Arithmetic& arithmetic) {
  nlohmann::json json = nlohmann::json::object();
  if (!arithmetic.precision.empty()) json["precision"] = arithmetic.precision;
  for (const Accumulator& a : arithmetic.accumulation) {
    json["accumulation"].push_back({{"ops", a.ops},
                                    {"operands", a.operands},
                                    {"bits", a.bits},
                                    {"rounding", a.toward_zero ? kTowardZero : kToNearest},
                                    {"block", a.block},
                                    {"promoted", a.promoted}});
  }
  if (arithmetic.stores_toward_zero) json["stores"] = kTowardZero;
  if (arithmetic.flushes.any()) json["flushes_subnormals"] = FlushedWords(arithmetic.flushes);
  if (arithmetic.excess_precision) json[kExcess] = true;
  if (arithmetic.replicas_may_differ) json[kReplicas] = kMayDiffer;
  return json;
}

std::optional<Arithmetic> ArithmeticFromJson(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  Arithmetic out;
  try {
    out.precision = json.value("precision", out.precision);
    for (const nlohmann::json& a : json.value("accumulation", nlohmann::json::array())) {
      out.accumulation.push_back({.ops = a.value("ops", std::vector<std::string>()),
                                  .operands = a.value("operands", ""),
                                  .bits = a.value("bits", int64_t{24}),
                                  .toward_zero = a.value("rounding", "") == kTowardZero,
                                  .block = std::max<int64_t>(a.value("block", int64_t{1}), 1),
                                  .promoted = a.value("promoted", int64_t{0})});
    }
    out.stores_toward_zero = json.value("stores", "") == kTowardZero;
    out.excess_precision = json.value(kExcess, false);
    out.replicas_may_differ = json.value(kReplicas, "") == kMayDiffer;
    for (const std::string& word : json.value("flushes_subnormals", std::vector<std::string>())) {
      const auto* const part = std::ranges::find(kFlushedParts, word, &FlushedPart::word);
      if (part == kFlushedParts.end()) return std::nullopt;
      out.flushes.*part->flag = true;
    }
  } catch (const nlohmann::json::exception&) {  // a value has another type
    return std::nullopt;
  }
  return out;
}

std::string ToText(const Accumulator& a) {
  std::string text = fmt::format("{} bits", a.bits);
  if (a.toward_zero) text += " toward zero";
  if (a.block > 1) text += fmt::format(", {} at once", a.block);
  if (a.promoted > 0) text += fmt::format(", f32 after {}", a.promoted);
  return text;
}

std::string ToText(const Arithmetic& arithmetic) {
  std::vector<std::string> parts;
  for (const auto& [op, name] : arithmetic.precision) {
    if (name != "f32") parts.push_back(fmt::format("{} multiplies in {}", op, name));
  }
  for (const Accumulator& a : arithmetic.accumulation) {
    parts.push_back(fmt::format("{}{} adds up in {}", fmt::join(a.ops, ", "),
                                a.operands.empty() ? "" : " of " + a.operands, ToText(a)));
  }
  if (arithmetic.stores_toward_zero) parts.emplace_back("results narrower than f32 are rounded toward zero");
  if (arithmetic.flushes.any()) {
    parts.push_back(
        fmt::format("subnormal numbers are taken for zero: {}", fmt::join(FlushedWords(arithmetic.flushes), ", ")));
  }
  if (arithmetic.excess_precision) parts.emplace_back("intermediate results narrower than f32 may stay unrounded");
  if (arithmetic.replicas_may_differ) parts.emplace_back("the sum of a group may differ between its processes");
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace opbyop
