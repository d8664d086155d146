// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/operator_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "manifests/status/status.h"
#include "reports/optrace/clocks.h"

namespace opbyop::optrace {
namespace {

// The worst first; every other status is better than these.
constexpr Status kWorst[] = {Status::kCrash,        Status::kTimeout, Status::kOutOfMemory, Status::kFail,
                             Status::kImprecise,    Status::kFlaky,   Status::kMissing,     Status::kUnsupported,
                             Status::kInconclusive, Status::kSkipped, Status::kPass};
static_assert(std::ranges::count_if(kWorst, IsWorkerStatus) == std::ranges::count_if(kAllStatuses, IsWorkerStatus),
              "kWorst has every status that a worker may report");

std::optional<Status> Worse(std::optional<Status> a, std::optional<Status> b) {
  for (const Status status : kWorst) {
    if (a == status || b == status) return status;
  }
  return a ? a : b;
}

struct Judgement {
  std::optional<Status> status;
  std::string stage;
  double max_ulp = 0;
  double pcc = 1;
};

std::vector<Judgement> JudgeOps(const Trace& trace) {
  std::vector<Judgement> judged(trace.ops.size());
  const auto known = [&](int64_t op) { return op >= 0 && op < static_cast<int64_t>(judged.size()); };
  for (const OpRun& run : trace.runs) {
    if (!known(run.op)) continue;
    judged[run.op].status = run.status;
    judged[run.op].stage = run.stage;
  }
  for (const OutputCompare& compare : trace.compares) {
    if (compare.mode != CompareMode::kIsolated || !known(compare.op)) continue;
    Judgement& op = judged[compare.op];
    op.max_ulp = std::max(op.max_ulp, compare.comparison.max_ulp);
    op.pcc = std::min(op.pcc, compare.comparison.pcc);
  }
  return judged;
}

std::string Shapes(const Op& op) {
  std::string text;
  for (const TensorType& type : op.operands) text += (text.empty() ? " (" : ", ") + TypeText(type);
  return text.empty() ? text : text + ")";
}

std::string Module(const Op& op) {
  std::string text;
  for (const std::string& part : op.path) text += (text.empty() ? "" : "/") + part;
  return text.empty() ? "<unknown>" : text;
}

std::string GroupName(const Op& op, Grouping grouping) {
  switch (grouping) {
    case Grouping::kFramework:
      return FrameworkName(op);
    case Grouping::kHlo:
      return op.hlo;
    case Grouping::kFrameworkAndShape:
      return FrameworkName(op) + Shapes(op);
    case Grouping::kHloAndShape:
      return op.hlo + Shapes(op);
    case Grouping::kCategory:
      return op.category.empty() ? op.hlo : op.category;
    case Grouping::kModule:
      return Module(op);
  }
  return "";
}

// Framework operators have one occurrence for all their HLO ops; for other groupings each op counts.
bool ByInstance(Grouping grouping) {
  return grouping == Grouping::kFramework || grouping == Grouping::kFrameworkAndShape || grouping == Grouping::kModule;
}

bool Counts(const Span& span, Scope scope) {
  if (span.section == Section::kExecution) return span.op >= 0;
  return (span.section == Section::kDataTransfer && scope != Scope::kExecution) ||
         (span.section == Section::kCompile && scope == Scope::kWithCompile);
}

// Maps names to small numbers, in the order of their first use.
class Names {
 public:
  int64_t Id(const std::string& name) {
    const auto [entry, added] = ids_.try_emplace(name, static_cast<int64_t>(names_.size()));
    if (added) names_.push_back(name);
    return entry->second;
  }
  const std::string& operator[](int64_t id) const { return names_[id]; }

 private:
  std::map<std::string, int64_t> ids_;
  std::vector<std::string> names_;
};

// A span in the table: its row, and the occurrence that it is part of.
struct Piece {
  int64_t device, core, name;
  int64_t instance, execution;
  int64_t time;
  int64_t self;
  int64_t op;
  Clock clock;
  auto row() const { return std::tuple(device, core, name); }
  auto occurrence() const { return std::tuple(device, core, name, instance, execution); }
};

std::vector<Piece> Pieces(const Trace& trace, Grouping grouping, Scope scope, const std::vector<int64_t>& self_times,
                          Names& names) {
  const std::vector<int64_t> instances = FrameworkInstances(trace.ops);
  std::vector<int64_t> op_names;
  op_names.reserve(trace.ops.size());
  for (const Op& op : trace.ops) op_names.push_back(names.Id(GroupName(op, grouping)));
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> executions;  // by op on a device and core
  std::vector<Piece> pieces;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    const Span& span = trace.spans[i];
    if (!Counts(span, scope)) continue;
    if (span.section != Section::kExecution) {
      pieces.push_back(
          {span.device, span.core, names.Id(span.name), -1, span.id, span.dur_ps, self_times[i], -1, span.clock});
      continue;
    }
    auto& counts = executions[{span.device, span.core}];
    counts.resize(trace.ops.size());
    const int64_t instance = ByInstance(grouping) ? instances[span.op] : span.op;
    pieces.push_back({span.device, span.core, op_names[span.op], instance, counts[span.op]++, span.dur_ps,
                      self_times[i], span.op, span.clock});
  }
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return std::pair(piece.occurrence(), piece.op); });
  return pieces;
}

}  // namespace

std::string_view BoundBy(double flops, double bytes, int64_t time_ps, int64_t executions, const TraceDevice& device) {
  // Time beyond that of the call is work; here the call takes more than half.
  if (device.call_ps > 0 && executions > 0 && time_ps > 0 && time_ps / executions < 2 * device.call_ps) {
    return "overhead";
  }
  if (device.peak_gflops <= 0 || device.peak_gb_per_s <= 0 || (flops <= 0 && bytes <= 0)) return "";
  return flops / device.peak_gflops > bytes / device.peak_gb_per_s ? "compute" : "memory";
}

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

std::string TypeText(const TensorType& type) {
  std::string text = "tensor<";
  for (const int64_t size : type.shape) text += (size == kDynamic ? "?" : std::to_string(size)) + "x";
  return text + type.dtype + ">";
}

std::vector<int64_t> ExecutionTimes(const Trace& trace) {
  std::vector<int64_t> times(trace.ops.size());
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) times[span.op] += span.dur_ps;
  }
  return times;
}

std::vector<int64_t> ExecutionCounts(const Trace& trace) {
  std::vector<int64_t> counts(trace.ops.size());
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) ++counts[span.op];
  }
  return counts;
}

std::vector<int64_t> SelfTimes(const Trace& trace, Scope scope) {
  struct Edge {
    int64_t time;
    size_t span;
    bool begins;
  };
  std::map<std::pair<int64_t, int64_t>, std::vector<Edge>> places;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    const Span& span = trace.spans[i];
    if (!Counts(span, scope) || span.dur_ps == 0) continue;
    std::vector<Edge>& edges = places[{span.device, span.core}];
    edges.push_back({span.start_ps, i, true});
    edges.push_back({span.end_ps(), i, false});
  }
  std::vector<int64_t> self(trace.spans.size());
  for (auto& [place, edges] : places) {
    std::ranges::sort(edges, {}, [](const Edge& edge) { return std::tuple(edge.time, edge.begins, edge.span); });
    size_t running = 0, which = 0;  // xor of the ids of the running spans: the id itself if there is one span
    int64_t since = 0;
    for (const Edge& edge : edges) {
      if (running == 1) self[which] += edge.time - since;
      running = edge.begins ? running + 1 : running - 1;
      which ^= edge.span;
      since = edge.time;
    }
  }
  return self;
}

std::vector<OperatorRow> OperatorTable(const Trace& trace, Grouping grouping, Scope scope) {
  return OperatorTable(trace, grouping, scope, SelfTimes(trace, scope));
}

std::vector<OperatorRow> OperatorTable(const Trace& trace, Grouping grouping, Scope scope,
                                       const std::vector<int64_t>& self_times) {
  const std::vector<Judgement> judged = JudgeOps(trace);
  Names names;
  const std::vector<Piece> pieces = Pieces(trace, grouping, scope, self_times, names);
  std::map<std::pair<int64_t, int64_t>, int64_t> totals;
  for (const Piece& piece : pieces) totals[{piece.device, piece.core}] += piece.time;
  std::vector<OperatorRow> table;
  for (size_t i = 0; i < pieces.size();) {
    const Piece& first = pieces[i];
    OperatorRow row = {.name = names[first.name], .device = first.device, .core = first.core};
    std::vector<int64_t> times;
    int64_t executions = 0;
    for (; i < pieces.size() && pieces[i].row() == first.row(); ++i) {
      const Piece& piece = pieces[i];
      const bool same = !times.empty() && piece.occurrence() == pieces[i - 1].occurrence();
      if (!same) times.push_back(0);
      times.back() += piece.time;
      row.time_ps += piece.time;
      row.self_ps += piece.self;
      row.clock = Join(row.clock, piece.clock);
      if (piece.op < 0) continue;
      const Op& op = trace.ops[piece.op];
      ++executions;
      row.flops += op.flops;
      row.bytes += op.bytes;
      if (row.ops.empty() || row.ops.back() != piece.op) row.ops.push_back(piece.op);
    }
    std::ranges::sort(row.ops);
    row.ops.erase(std::ranges::unique(row.ops).begin(), row.ops.end());
    for (const int64_t op : row.ops) {
      const Judgement& judgement = judged[op];
      const std::optional<Status> worse = Worse(row.status, judgement.status);
      if (worse != row.status || row.stage.empty()) row.stage = judgement.stage;
      row.status = worse;
      row.max_ulp = std::max(row.max_ulp, judgement.max_ulp);
      row.pcc = std::min(row.pcc, judgement.pcc);
    }
    std::ranges::sort(times);
    row.occurrences = static_cast<int64_t>(times.size());
    row.min_ps = times.front();
    row.average_ps = row.time_ps / row.occurrences;
    row.p95_ps = times[std::min(times.size() - 1, static_cast<size_t>(0.95 * static_cast<double>(times.size())))];
    const int64_t total = totals[{row.device, row.core}];
    row.percent = total == 0 ? 0 : 100.0 * static_cast<double>(row.time_ps) / static_cast<double>(total);
    row.self_percent = total == 0 ? 0 : 100.0 * static_cast<double>(row.self_ps) / static_cast<double>(total);
    const auto device = std::ranges::find(trace.header.devices, row.device, &TraceDevice::id);
    if (device != trace.header.devices.end()) {
      row.bound_by = BoundBy(row.flops, row.bytes, row.time_ps, executions, *device);
    }
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
