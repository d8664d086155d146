#include "reports/optrace/operator_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "manifests/status.h"

namespace opbyop::optrace {
namespace {

// Worst first; what is not here is better than all that is.
constexpr Status kWorst[] = {Status::kCrash,   Status::kTimeout, Status::kOutOfMemory, Status::kFail,
                             Status::kFlaky,   Status::kMissing, Status::kUnsupported, Status::kMistrusted,
                             Status::kSkipped, Status::kPass};

std::string Worse(const std::string& a, const std::string& b) {
  for (const Status status : kWorst) {
    if (a == ToString(status) || b == ToString(status)) return std::string(ToString(status));
  }
  return a.empty() ? b : a;
}

struct Judgement {
  std::string status;
  double max_ulp = 0;
  double pcc = 1;
};

std::vector<Judgement> JudgeOps(const Trace& trace) {
  std::vector<Judgement> judged(trace.ops.size());
  for (const OpRun& run : trace.runs) {
    if (run.op >= 0 && run.op < static_cast<int64_t>(judged.size())) judged[run.op].status = run.status;
  }
  for (const OutputCompare& compare : trace.compares) {
    if (compare.mode != "isolated" || compare.op < 0 || compare.op >= static_cast<int64_t>(judged.size())) continue;
    Judgement& op = judged[compare.op];
    op.max_ulp = std::max(op.max_ulp, compare.comparison.max_ulp);
    op.pcc = std::min(op.pcc, compare.comparison.pcc);
  }
  return judged;
}

// Which roof of its device an operator's intensity lies under.
std::string BoundBy(const OperatorRow& row, const std::vector<TraceDevice>& devices) {
  const auto device = std::ranges::find(devices, row.device, &TraceDevice::id);
  if (device == devices.end() || device->peak_gflops <= 0 || device->peak_gb_per_s <= 0) return "";
  if (row.flops <= 0 && row.bytes <= 0) return "";
  return row.flops / device->peak_gflops > row.bytes / device->peak_gb_per_s ? "compute" : "memory";
}

}  // namespace

std::string FrameworkName(const Op& op) { return op.framework.empty() ? "<unknown>" : op.framework; }

std::string FrameworkPath(const Op& op) {
  std::string path;
  for (const std::string& part : op.path) path += part + "/";
  path += FrameworkName(op);
  std::ranges::replace(path, ':', '_');
  return path;
}

std::string HloName(const Op& op) { return fmt::format("{}.{}", op.hlo, op.id); }

std::vector<int64_t> FrameworkInstances(const std::vector<Op>& ops) {
  std::map<std::pair<std::string, std::string>, int64_t> known;
  std::vector<int64_t> instances;
  int64_t count = 0;
  for (const Op& op : ops) {
    if (op.framework.empty()) {
      instances.push_back(count++);
      continue;
    }
    const auto [entry, added] = known.try_emplace({FrameworkPath(op), op.location}, count);
    count += added;
    instances.push_back(entry->second);
  }
  return instances;
}

std::vector<OperatorRow> OperatorTable(const Trace& trace, Grouping grouping) {
  const std::vector<Judgement> judged = JudgeOps(trace);
  const std::vector<int64_t> instances = FrameworkInstances(trace.ops);
  std::map<std::tuple<int64_t, int64_t, std::string>, OperatorRow> rows;
  // Time by occurrence: (instance, how many-th execution).
  std::map<std::tuple<int64_t, int64_t, std::string>, std::map<std::pair<int64_t, int64_t>, int64_t>> occurrences;
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> executions;  // of each op
  std::map<std::pair<int64_t, int64_t>, int64_t> totals;
  for (const Span& span : trace.spans) {
    if (span.section != Section::kExecution || span.op < 0) continue;
    const Op& op = trace.ops[span.op];
    const std::string name = grouping == Grouping::kHlo ? op.hlo : FrameworkName(op);
    const auto key = std::tuple(span.device, span.core, name);
    OperatorRow& row = rows[key];
    row.name = name;
    row.device = span.device;
    row.core = span.core;
    row.time_ps += span.dur_ps;
    row.flops += op.flops;
    row.bytes += op.bytes;
    row.status = Worse(row.status, judged[span.op].status);
    row.max_ulp = std::max(row.max_ulp, judged[span.op].max_ulp);
    row.pcc = std::min(row.pcc, judged[span.op].pcc);
    const int64_t execution = executions[{span.device, span.core, span.op}]++;
    const int64_t instance = grouping == Grouping::kHlo ? span.op : instances[span.op];
    occurrences[key][{instance, execution}] += span.dur_ps;
    totals[{span.device, span.core}] += span.dur_ps;
  }
  std::vector<OperatorRow> table;
  for (auto& [key, row] : rows) {
    std::vector<int64_t> sorted;
    for (const auto& [occurrence, time] : occurrences[key]) sorted.push_back(time);
    std::ranges::sort(sorted);
    row.occurrences = static_cast<int64_t>(sorted.size());
    row.min_ps = sorted.front();
    row.average_ps = row.time_ps / row.occurrences;
    row.p95_ps = sorted[std::min(sorted.size() - 1, static_cast<size_t>(0.95 * static_cast<double>(sorted.size())))];
    const int64_t total = totals[{row.device, row.core}];
    row.percent = total == 0 ? 0 : 100.0 * static_cast<double>(row.time_ps) / static_cast<double>(total);
    row.bound_by = BoundBy(row, trace.header.devices);
    table.push_back(std::move(row));
  }
  std::ranges::sort(table, [](const OperatorRow& a, const OperatorRow& b) {
    return std::tuple(a.device, a.core, -a.time_ps, a.name) < std::tuple(b.device, b.core, -b.time_ps, b.name);
  });
  double cumulative = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    const bool same = i > 0 && table[i].device == table[i - 1].device && table[i].core == table[i - 1].core;
    cumulative = table[i].percent + (same ? cumulative : 0);
    table[i].cumulative_percent = cumulative;
  }
  return table;
}

}  // namespace opbyop::optrace
