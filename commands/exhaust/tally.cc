// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/tally.h"

#include <fmt/format.h>

#include <algorithm>

#include "manifests/formats/json.h"

namespace opbyop::exhaustive {
namespace {

using nlohmann::json;

constexpr size_t kWorst = 5;

json ToJson(const Point& point) {
  return {{"code", point.code},
          {"argument", point.argument},
          {"got", point.got},
          {"expected", point.expected},
          {"bound_ratio", EncodeDouble(point.bound_ratio)}};
}

Point ParsePoint(const json& json) {
  return {IntegerAt<uint64_t>(json, "code"), json.at("argument").get<std::string>(), json.at("got").get<std::string>(),
          json.at("expected").get<std::string>(), DecodeDouble(json.at("bound_ratio"))};
}

bool IsWorse(const Point& a, const Point& b) {
  return a.bound_ratio != b.bound_ratio ? a.bound_ratio > b.bound_ratio : a.code < b.code;
}

}  // namespace

void Tally::Add(const Tally& part) {
  values += part.values;
  open += part.open;
  unbounded += part.unbounded;
  mismatches += part.mismatches;
  nan_mismatches += part.nan_mismatches;
  inf_mismatches += part.inf_mismatches;
  max_abs = std::max(max_abs, part.max_abs);
  max_rel = std::max(max_rel, part.max_rel);
  max_ulp = std::max(max_ulp, part.max_ulp);
  bound_ratio = std::max(bound_ratio, part.bound_ratio);
  if (rule.empty()) rule = part.rule;
  if (part.first && (!first || part.first->code < first->code)) first = part.first;
  worst.insert(worst.end(), part.worst.begin(), part.worst.end());
  std::ranges::sort(worst, IsWorse);
  if (worst.size() > kWorst) worst.resize(kWorst);
}

Comparison Tally::ToComparison(std::string_view dtype) const {
  Comparison out;
  out.dtype = dtype;
  out.elements = values;
  out.mismatches = mismatches;
  out.unbounded = unbounded;
  out.max_abs = max_abs;
  out.max_rel = max_rel;
  out.max_ulp = max_ulp;
  out.nan_mismatches = nan_mismatches;
  out.inf_mismatches = inf_mismatches;
  out.bound_ratio = bound_ratio;
  out.rule = rule;
  out.accepted = mismatches == 0;
  out.policy = "exhaustive";
  for (const Point& p : worst) out.worst.push_back({{static_cast<int64_t>(p.code)}, p.got, p.expected, p.bound_ratio});
  return out;
}

std::string Describe(const Point& point, int bits) {
  return fmt::format("{:#0{}x} ({}): got {}, expected {}", point.code, (bits + 3) / 4 + 2, point.argument, point.got,
                     point.expected);
}

json ToJson(const Tally& tally) {
  json out = {{"values", tally.values},
              {"open", tally.open},
              {"unbounded", tally.unbounded},
              {"mismatches", tally.mismatches},
              {"nan_mismatches", tally.nan_mismatches},
              {"inf_mismatches", tally.inf_mismatches},
              {"max_abs", EncodeDouble(tally.max_abs)},
              {"max_rel", EncodeDouble(tally.max_rel)},
              {"max_ulp", EncodeDouble(tally.max_ulp)},
              {"bound_ratio", EncodeDouble(tally.bound_ratio)},
              {"rule", tally.rule}};
  if (tally.first) out["first"] = ToJson(*tally.first);
  for (const Point& p : tally.worst) out["worst"].push_back(ToJson(p));
  return out;
}

Tally TallyOf(const json& in) {
  Tally tally{.values = IntegerAt<int64_t>(in, "values", 0),
              .open = IntegerAt<int64_t>(in, "open", 0),
              .unbounded = IntegerAt<int64_t>(in, "unbounded", 0),
              .mismatches = IntegerAt<int64_t>(in, "mismatches", 0),
              .nan_mismatches = IntegerAt<int64_t>(in, "nan_mismatches", 0),
              .inf_mismatches = IntegerAt<int64_t>(in, "inf_mismatches", 0),
              .max_abs = DecodeDouble(in.at("max_abs")),
              .max_rel = DecodeDouble(in.at("max_rel")),
              .max_ulp = DecodeDouble(in.at("max_ulp")),
              .bound_ratio = DecodeDouble(in.at("bound_ratio")),
              .rule = in.at("rule").get<std::string>()};
  if (in.contains("first")) tally.first = ParsePoint(in.at("first"));
  if (in.contains("worst")) {
    for (const json& p : in.at("worst")) tally.worst.push_back(ParsePoint(p));
  }
  return tally;
}

}  // namespace opbyop::exhaustive
