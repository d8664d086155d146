// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What results.jsonl says, from a value of its JSON: a nlohmann::json, or a JsonView of a line that is read once. Each
// throws what the value's getters throw where a member is missing or of another type.
#ifndef OPBYOP_MANIFESTS_RESULTS_RESULT_FIELDS_H_
#define OPBYOP_MANIFESTS_RESULTS_RESULT_FIELDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "manifests/formats/json.h"
#include "manifests/results/result.h"

namespace opbyop {

template <class Json>
Status StatusOf(const Json& object) {
  return ParseStatus(MemberAt<std::string>(object, "status")).value_or(Status::kMissing);
}

template <class Json>
Comparison ComparisonOf(const Json& in) {
  Comparison c;
  c.output = IntegerAt<int64_t>(in, "output");
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
  c.accepted = MemberAt<bool>(in, "accepted");
  if (const auto share = FindMember(in, "range_error")) c.range_error = DecodeDouble(*share);
  if (const auto ratio = FindMember(in, "precision_ratio")) c.precision_ratio = DecodeDouble(*ratio);
  c.weak = in.value("weak", false);
  c.random = in.value("random", false);
  for (const auto& item : ListOr(in, "worst")) {
    std::vector<int64_t> index;
    for (const auto& place : item.at("index")) index.push_back(IntegerOf<int64_t>(place));
    c.worst.push_back({std::move(index), MemberAt<std::string>(item, "got"), MemberAt<std::string>(item, "expected"),
                       DecodeDouble(item.at("bound_ratio"))});
  }
  return c;
}

template <class Json>
std::vector<Comparison> ComparisonsOf(const Json& object) {
  std::vector<Comparison> comparisons;
  for (const auto& item : ListOr(object, "comparisons")) comparisons.push_back(ComparisonOf(item));
  return comparisons;
}

template <class Json>
std::vector<Placement> PlacementsOf(const Json& object, const char* key) {
  std::vector<Placement> placements;
  for (const auto& item : ListOr(object, key)) {
    placements.push_back(
        {item.value("memory", ""), item.value("layout", ""), item.value("grid", std::vector<int64_t>())});
  }
  return placements;
}

template <class Json>
Placements PlacementsOf(const Json& in) {
  return {PlacementsOf(in, "inputs"), PlacementsOf(in, "outputs")};
}

template <class Json>
Timing TimingOf(const Json& in) {
  return {IntegerAt<int64_t>(in, "n"),    MemberAt<double>(in, "min_us"),        MemberAt<double>(in, "median_us"),
          MemberAt<double>(in, "p95_us"), in.value("clock", "host") == "device", in.value("first_call", false)};
}

template <class Json>
CaseRecord RecordOf(const Json& object) {
  CaseRecord record;
  record.id = MemberAt<std::string>(object, "case");
  record.status = StatusOf(object);
  record.stage = object.value("stage", "");
  record.diagnostic = object.value("diagnostic", "");
  const auto& stages = object.at("stages");
  record.stages.reserve(stages.size());
  for (const auto& item : stages) {
    record.stages.push_back({MemberAt<std::string>(item, "name"), StatusOf(item), MemberAt<double>(item, "ms"),
                             item.value("diagnostic", "")});
  }
  record.comparisons = ComparisonsOf(object);
  for (const auto& item : ListOr(object, "sets")) {
    record.sets.push_back({item.value("policy", ""), IntegerOr(item, "seed", uint64_t{0}), StatusOf(item),
                           item.value("stage", ""), item.value("diagnostic", ""),
                           IntegerOr(item, "unbounded", int64_t{0})});
  }
  if (const auto timing = FindMember(object, "timing")) record.timing = TimingOf(*timing);
  record.artifact_bytes = IntegerOr(object, "artifact_bytes", int64_t{0});
  record.peak_rss_kb = IntegerOr(object, "peak_rss_kb", int64_t{0});
  record.attempts = IntegerOr(object, "attempts", 1);
  if (const auto first = FindMember(object, "first_attempt")) {
    record.first_attempt = {StatusOf(*first), first->value("stage", ""), first->value("diagnostic", "")};
  }
  if (const auto fixed = FindMember(object, "fixed")) {
    record.fixed = {StatusOf(*fixed), fixed->value("stage", ""), fixed->value("diagnostic", "")};
  }
  record.reference = ParseStatus(object.value("reference", "pass")).value_or(Status::kFail);
  record.seed = IntegerOr(object, "seed", uint64_t{0});
  record.worker = IntegerOr(object, "worker", 0);
  record.signal = IntegerOr(object, "signal", 0);
  record.stderr_tail = object.value("stderr_tail", std::vector<std::string>());
  record.start = object.value("start", "");
  record.wall_ms = object.value("wall_ms", 0.0);
  record.repro = object.value("repro", "");
  record.cost = object.value("cost", std::map<std::string, double>());
  record.memory = object.value("memory", std::map<std::string, double>());
  if (const auto placements = FindMember(object, "placements")) record.placements = PlacementsOf(*placements);
  record.artifact_sha256 = object.value("artifact_sha256", "");
  record.program_sha256 = object.value("program_sha256", "");
  record.cached_from = object.value("cached_from", "");
  record.batched = IntegerOr(object, "batched", int64_t{0});
  record.left_running = object.value("left_running", "");
  record.spoiled_by = object.value("spoiled_by", "");
  record.spoils = object.value("spoils", std::vector<std::string>());
  // Older files have it as `second_opinion`.
  if (const auto second = FindMember(object, object.contains("differential") ? "differential" : "second_opinion")) {
    record.differential = {second->value("target", ""), StatusOf(*second), second->value("stage", ""),
                           second->value("diagnostic", ""), ComparisonsOf(*second)};
  }
  return record;
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_RESULT_FIELDS_H_
