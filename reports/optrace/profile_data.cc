// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/profile_data.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "reports/optrace/clocks.h"
#include "reports/optrace/compiled_view.h"
#include "reports/optrace/device_view.h"
#include "reports/optrace/insights.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/profile_timeline.h"
#include "reports/optrace/timeline.h"
#include "reports/optrace/trace_diff.h"
#include "reports/optrace/verify.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

constexpr std::pair<const char*, Grouping> kGroupings[] = {{"framework", Grouping::kFramework},
                                                           {"framework+shape", Grouping::kFrameworkAndShape},
                                                           {"hlo", Grouping::kHlo},
                                                           {"hlo+shape", Grouping::kHloAndShape},
                                                           {"category", Grouping::kCategory},
                                                           {"module", Grouping::kModule}};
constexpr std::pair<const char*, Scope> kScopes[] = {
    {"execution", Scope::kExecution}, {"transfer", Scope::kWithTransfer}, {"compile", Scope::kWithCompile}};

// If there are more members than this, their names are not listed.
constexpr size_t kMembers = 24;

json Types(const std::vector<TensorType>& types) {
  json texts = json::array();
  for (const TensorType& type : types) texts.push_back(TypeText(type));
  return texts;
}

json Table(const Trace& trace, Grouping grouping, Scope scope, const std::vector<int64_t>& self_times) {
  json rows = json::array();
  for (const OperatorRow& row : OperatorTable(trace, grouping, scope, self_times)) {
    json ops = json::array();
    for (size_t i = 0; i < std::min(row.ops.size(), kMembers); ++i) ops.push_back(row.ops[i]);
    rows.push_back({{"name", row.name},
                    {"occurrences", row.occurrences},
                    {"device", row.device},
                    {"core", row.core},
                    {"time", row.time_ps},
                    {"percent", row.percent},
                    {"cumulative", row.cumulative_percent},
                    {"self", row.self_percent},
                    {"min", row.min_ps},
                    {"average", row.average_ps},
                    {"p95", row.p95_ps},
                    {"flops", row.flops},
                    {"bytes", row.bytes},
                    {"bound", row.bound_by},
                    {"clock", ClockName(row.clock)},
                    {"status", StatusText(row.status)},
                    {"stage", row.stage},
                    {"ulp", row.max_ulp},
                    {"pcc", row.pcc},
                    {"ops", ops},
                    {"opCount", row.ops.size()}});
  }
  return rows;
}

json Tables(const Trace& trace) {
  json tables = json::object();
  for (const auto& [scope_name, scope] : kScopes) {
    const std::vector<int64_t> self_times = SelfTimes(trace, scope);
    for (const auto& [name, grouping] : kGroupings) {
      tables[scope_name][name] = Table(trace, grouping, scope, self_times);
    }
  }
  return tables;
}

// For runs with several passes over the model: when each pass was on the device, and its own tables. If there are many
// passes, only the first ones are included, because tables for each would be most of the page.
json Iterations(const Trace& trace) {
  constexpr int64_t kMost = 8;
  json iterations = json::array();
  if (trace.header.iterations < 2) return iterations;
  Trace part = {.header = trace.header, .ops = trace.ops, .spans = {}, .runs = trace.runs, .compares = trace.compares};
  for (int64_t i = 0; i < std::min(trace.header.iterations, kMost); ++i) {
    part.spans.clear();
    int64_t start = std::numeric_limits<int64_t>::max(), end = 0, time = 0;
    for (const Span& span : trace.spans) {
      if (span.iteration != i || !IsOfOps(span.section)) continue;
      start = std::min(start, span.start_ps);
      end = std::max(end, span.end_ps());
      if (span.section == Section::kExecution) time += span.dur_ps;
      part.spans.push_back(span);
    }
    if (part.spans.empty()) break;
    iterations.push_back({{"start", start}, {"end", end}, {"time", time}, {"tables", Tables(part)}});
  }
  return iterations;
}

// The compile stages, in the order in which an op goes through them.
std::vector<std::string> CompileStages(const Trace& trace) {
  std::vector<std::string> names;
  for (const Span& span : trace.spans) {
    if (span.section != Section::kCompile || span.op < 0) continue;
    if (std::ranges::find(names, span.name) == names.end()) names.push_back(span.name);
  }
  return names;
}

json Ops(const Trace& trace) {
  struct Sums {
    int64_t time = 0, count = 0, transfer = 0, compare = 0;
    std::map<std::string, int64_t> stages;
  };
  std::vector<Sums> sums(trace.ops.size());
  for (const Span& span : trace.spans) {
    if (span.op < 0) continue;
    Sums& sum = sums[span.op];
    switch (span.section) {
      case Section::kExecution:
        sum.time += span.dur_ps;
        ++sum.count;
        break;
      case Section::kDataTransfer:
        sum.transfer += span.dur_ps;
        break;
      case Section::kCompile:
        sum.stages[span.name] += span.dur_ps;
        break;
      case Section::kCompare:
        sum.compare += span.dur_ps;
        break;
      case Section::kOverview:
      case Section::kControl:
      case Section::kDevices:
        break;
    }
  }
  const std::vector<int64_t> instances = FrameworkInstances(trace.ops);
  const std::vector<std::optional<Clock>> clocks = ExecutionClocks(trace);
  json ops = json::array();
  for (const Op& op : trace.ops) {
    const Sums& sum = sums[op.id];
    json item = {{"case", op.case_id},
                 {"hlo", op.hlo},
                 {"name", HloName(op)},
                 {"framework", FrameworkName(op)},
                 {"frameworkPath", FrameworkPath(op)},
                 {"instance", instances[op.id]},
                 {"path", op.path},
                 {"location", op.location},
                 {"text", op.text},
                 {"operands", Types(op.operands)},
                 {"results", Types(op.results)},
                 {"flops", op.flops},
                 {"bytes", op.bytes},
                 {"category", op.category},
                 {"time", sum.time},
                 {"clock", ClockName(clocks[op.id])},
                 {"count", sum.count},
                 {"transfer", sum.transfer},
                 {"compare", sum.compare},
                 {"stages", sum.stages}};
    ops.push_back(std::move(item));
  }
  for (const OpRun& run : trace.runs) {
    ops[run.op]["run"] = {{"status", StatusText(run.status)},
                          {"stage", run.stage},
                          {"diagnostic", run.diagnostic},
                          {"n", run.n},
                          {"min", run.min_ps},
                          {"median", run.median_ps},
                          {"p95", run.p95_ps},
                          {"max", run.max_ps},
                          {"clock", ToString(run.clock)}};
  }
  return ops;
}

json Compares(const Trace& trace) {
  json compares = json::array();
  for (const OutputCompare& compare : trace.compares) {
    compares.push_back({{"op", compare.op},
                        {"mode", ToString(compare.mode)},
                        {"comparison", compare.comparison},
                        {"cpu", compare.cpu},
                        {"device", compare.device}});
  }
  return compares;
}

json InsightData(const Trace& trace) {
  json insights = json::array();
  for (const Insight& insight : Insights(trace)) {
    insights.push_back({{"rule", insight.rule},
                        {"title", insight.title},
                        {"condition", insight.condition},
                        {"cause", insight.cause},
                        {"action", insight.action},
                        {"time", insight.at_stake_ps},
                        {"wrong", insight.wrong},
                        {"ops", insight.ops}});
  }
  return insights;
}

json Side(const std::optional<DiffSide>& side) {
  if (!side) return nullptr;
  return {{"op", side->op},      {"time", side->time_ps},           {"min", side->min_ps},
          {"p95", side->p95_ps}, {"clock", ClockName(side->clock)}, {"status", StatusText(side->status)},
          {"ulp", side->max_ulp}};
}

json DiffData(const Trace& trace, const Trace& base) {
  const TraceDiff diff = DiffTraces(base, trace);
  json rows = json::array();
  for (const DiffRow& row : diff.rows) {
    rows.push_back({{"name", row.name},
                    {"base", Side(row.base)},
                    {"candidate", Side(row.candidate)},
                    {"delta", row.delta_ps},
                    {"otherClocks", row.other_clocks},
                    {"noise", row.noise}});
  }
  return {{"run", base.header.run_id},
          {"target", base.header.target},
          {"base", diff.base_ps},
          {"candidate", diff.candidate_ps},
          {"rows", rows}};
}

}  // namespace

json ProfileData(const Trace& trace, const Trace* base) {
  json warnings = json::array();
  for (const Warning& warning : trace.warnings) warnings.push_back(warning.text);
  const Verification verification = Verify(trace);
  return {{"schema", "opbyop-profile/1"},
          {"header", ToJson(trace.header)},
          {"footer", trace.footer ? ToJson(*trace.footer) : json()},
          {"spans", trace.spans.size()},
          {"clock", ClockText(trace)},
          {"warnings", warnings},
          {"defects", verification.defects},
          {"gaps", verification.gaps},
          {"stages", CompileStages(trace)},
          {"ops", Ops(trace)},
          {"tables", Tables(trace)},
          {"iterations", Iterations(trace)},
          {"timeline", TimelineData(trace)},
          {"compiled", CompiledData(trace)},
          {"devices", DeviceData(trace)},
          {"compares", Compares(trace)},
          {"insights", InsightData(trace)},
          {"diff", base == nullptr ? json() : DiffData(trace, *base)}};
}

}  // namespace opbyop::optrace
