// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The keys of results.jsonl: each record of manifests/results/result.h as a table of its fields, in the order in which
// they are written. Both the writer and the reader go by it, so a new field is a member there and a line here.
#ifndef OPBYOP_MANIFESTS_RESULTS_RESULT_FIELDS_H_
#define OPBYOP_MANIFESTS_RESULTS_RESULT_FIELDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "manifests/formats/fields.h"
#include "manifests/results/result.h"

namespace opbyop {

// An unknown text, which a later version may have written, is `kUnknown`.
template <Status kUnknown>
struct StatusText {
  static void Write(JsonText& out, Status status) { out.Value(ToString(status)); }
  static nlohmann::json ToJson(Status status) { return std::string(ToString(status)); }
  template <class Json>
  static Status Read(const Json& in) {
    return ParseStatus(in.template get<std::string>()).value_or(kUnknown);
  }
};
using EndStatus = StatusText<Status::kMissing>;

// Timing::device_clock as the name of the clock.
struct ClockName {
  static void Write(JsonText& out, bool device) { out.Value(Name(device)); }
  static nlohmann::json ToJson(bool device) { return Name(device); }
  template <class Json>
  static bool Read(const Json& in) {
    return in.template get<std::string>() == Name(true);
  }
  static const char* Name(bool device) { return device ? "device" : "host"; }
};

// Counts by name. The library's own getter would cast whatever numbers it finds.
struct Totals {
  using Map = std::map<std::string, int64_t>;
  static void Write(JsonText& out, const Map& totals) { out.Value(totals); }
  static nlohmann::json ToJson(const Map& totals) { return totals; }
  static Map Read(const nlohmann::json& in) {
    Map totals;
    for (const auto& [name, count] : in.items()) totals[name] = IntegerOf<int64_t>(count);
    return totals;
  }
};

constexpr auto FieldsOf(const StageRecord*) {
  using R = StageRecord;
  return std::tuple(Required("name", &R::name), Required<EndStatus>("status", &R::status), Required("ms", &R::ms),
                    Optional("diagnostic", &R::diagnostic));
}

constexpr auto FieldsOf(const Comparison::Element*) {
  using R = Comparison::Element;
  return std::tuple(Required<AnyNumber>("bound_ratio", &R::bound_ratio), Required("expected", &R::expected),
                    Required("got", &R::got), Required("index", &R::index));
}

// Comparison, Placement and Timing are sent between processes as nlohmann::json too, which orders keys by the alphabet.
constexpr auto FieldsOf(const Comparison*) {
  using R = Comparison;
  return std::tuple(Required("accepted", &R::accepted), Required<AnyNumber>("bound_ratio", &R::bound_ratio),
                    Always("constant", &R::constant), Required<AnyNumber>("cosine", &R::cosine),
                    Always("dtype", &R::dtype), Always("elements", &R::elements),
                    Always("inf_mismatches", &R::inf_mismatches), Optional("judged", &R::judged),
                    Optional<AnyNumber>("least_error", &R::least_error), Required<AnyNumber>("max_abs", &R::max_abs),
                    Required<AnyNumber>("max_rel", &R::max_rel), Required<AnyNumber>("max_ulp", &R::max_ulp),
                    Always("mismatches", &R::mismatches), Always("nan_mismatches", &R::nan_mismatches),
                    Required("output", &R::output), Required<AnyNumber>("pcc", &R::pcc), Optional("policy", &R::policy),
                    Optional<AnyNumber>("precision_ratio", &R::precision_ratio), Optional("process", &R::process),
                    Optional("random", &R::random), Optional<AnyNumber>("range_error", &R::range_error),
                    Optional("relaxed", &R::relaxed), Required<AnyNumber>("rmse", &R::rmse), Always("rule", &R::rule),
                    Optional("unbounded", &R::unbounded), Optional("weak", &R::weak), Optional("worst", &R::worst));
}

constexpr auto FieldsOf(const Timing*) {
  using R = Timing;
  return std::tuple(Optional<ClockName>("clock", &R::device_clock), Optional("first_call", &R::first_call),
                    Required("median_us", &R::median_us), Required("min_us", &R::min_us), Required("n", &R::n),
                    Required("p95_us", &R::p95_us));
}

constexpr auto FieldsOf(const Placement*) {
  using R = Placement;
  return std::tuple(Always("grid", &R::grid), Always("layout", &R::layout), Always("memory", &R::memory));
}

constexpr auto FieldsOf(const Placements*) {
  return std::tuple(Always("inputs", &Placements::inputs), Always("outputs", &Placements::outputs));
}

constexpr auto FieldsOf(const InputSetRecord*) {
  using R = InputSetRecord;
  return std::tuple(
      Always("policy", &R::policy), Always("seed", &R::seed), Required<EndStatus>("status", &R::status),
      Always("stage", &R::stage), Optional("diagnostic", &R::diagnostic), Optional("unbounded", &R::unbounded),
      Optional("judged_nothing", &R::judged_nothing), Optional("twin", &R::twin), Optional("inputs_ms", &R::inputs_ms),
      Optional("reference_cpu_ms", &R::reference_cpu_ms), Optional("reference_peak_kb", &R::reference_peak_kb));
}

constexpr auto FieldsOf(const FirstAttempt*) {
  using R = FirstAttempt;
  return std::tuple(Required<EndStatus>("status", &R::status), Always("stage", &R::stage),
                    Always("diagnostic", &R::diagnostic));
}

constexpr auto FieldsOf(const FixedEnd*) {
  using R = FixedEnd;
  return std::tuple(Required<EndStatus>("status", &R::status), Always("stage", &R::stage),
                    Optional("diagnostic", &R::diagnostic));
}

constexpr auto FieldsOf(const Differential*) {
  using R = Differential;
  return std::tuple(Always("target", &R::target), Required<EndStatus>("status", &R::status), Always("stage", &R::stage),
                    Always("diagnostic", &R::diagnostic), Always("comparisons", &R::comparisons));
}

constexpr auto FieldsOf(const CaseRecord*) {
  using R = CaseRecord;
  return std::tuple(
      Required("case", &R::id), Required<EndStatus>("status", &R::status), Always("stage", &R::stage),
      Optional("diagnostic", &R::diagnostic), Required("stages", &R::stages), Always("comparisons", &R::comparisons),
      Optional("sets", &R::sets), Always("timing", &R::timing), Always("artifact_bytes", &R::artifact_bytes),
      Always("peak_rss_kb", &R::peak_rss_kb), Always("attempts", &R::attempts),
      OptionalIf([](const R& r) { return r.first_attempt.status != Status::kMissing; }, "first_attempt",
                 &R::first_attempt),
      OptionalIf([](const R& r) { return r.fixed.status != Status::kMissing; }, "fixed", &R::fixed),
      Optional<StatusText<Status::kFail>>("reference", &R::reference), Always("seed", &R::seed),
      Always("worker", &R::worker), Optional("signal", &R::signal), Optional("stderr_tail", &R::stderr_tail),
      Always("start", &R::start), Always("wall_ms", &R::wall_ms), Always("repro", &R::repro),
      Optional("cost", &R::cost), Optional("memory", &R::memory), Optional("placements", &R::placements),
      Optional("partitioning", &R::partitioning), Optional("cached_from", &R::cached_from),
      Optional("batched", &R::batched), Optional("left_running", &R::left_running),
      Optional("spoiled_by", &R::spoiled_by), Optional("spoils", &R::spoils),
      Optional("artifact_sha256", &R::artifact_sha256), Optional("program_sha256", &R::program_sha256),
      OptionalIf([](const R& r) { return !r.differential.target.empty(); }, "differential", &R::differential));
}

constexpr auto FieldsOf(const MergedShard*) {
  using R = MergedShard;
  return std::tuple(Always("shard", &R::shard), Required("run_id", &R::run_id), Always("start", &R::start),
                    Always("cpu", &R::cpu), Always("wall_s", &R::wall_s), Optional("complete", &R::complete));
}

// But for the demands, which a reader must check (manifests/status/demands.h).
constexpr auto FieldsOf(const RunHeader*) {
  using R = RunHeader;
  constexpr auto kIsShard = [](const R& header) { return header.shards > 1; };
  return std::tuple(Required("run_id", &R::run_id), Always("argv", &R::argv), Always("host", &R::host),
                    Required("target", &R::target), Always("target_file", &R::target_file),
                    Always("toolchain", &R::toolchain), Required("stages", &R::stages),
                    Required("manifest", &R::manifest), Required("manifest_hash", &R::manifest_hash),
                    Always("git_sha", &R::git_sha), Always("policy", &R::policy), Always("mode", &R::mode),
                    Always("seed", &R::seed), Required("start", &R::start), Optional("fresh_seed", &R::fresh_seed),
                    Optional("manifest_relative", &R::manifest_relative), Optional("manifest_rows", &R::manifest_rows),
                    OptionalIf(+kIsShard, "shard", &R::shard), OptionalIf(+kIsShard, "shards", &R::shards),
                    OptionalIf(+kIsShard, "balance", &R::balance), Optional("merged", &R::merged),
                    Optional("compile_only", &R::compile_only), Optional("properties", &R::properties),
                    Optional("compiled", &R::compiled), Optional("filter", &R::filter),
                    Optional("selected", &R::selected), Always("digest", &R::digest), Always("decides", &R::decides));
}

constexpr auto FieldsOf(const RunFooter*) {
  using R = RunFooter;
  return std::tuple(Always<Totals>("totals", &R::totals), Always("wall_s", &R::wall_s), Always("end", &R::end));
}

constexpr auto FieldsOf(const RunEvent*) {
  using R = RunEvent;
  return std::tuple(Always("time", &R::time), Required("text", &R::text), Optional("lasting", &R::lasting));
}

template <class Json>
CaseRecord CaseRecordOf(const Json& object) {
  CaseRecord record = ReadObject<CaseRecord>(object);
  // Older files call it `second_opinion`.
  if (const auto second = FindMember(object, "second_opinion"); second && record.differential.target.empty()) {
    record.differential = ReadObject<Differential>(*second);
  }
  return record;
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_RESULT_FIELDS_H_
