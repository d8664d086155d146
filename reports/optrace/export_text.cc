// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export_text.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "reports/optrace/clocks.h"
#include "reports/optrace/flow.h"
#include "reports/optrace/timeline.h"
#include "support/files/output_file.h"
#include "support/text/csv_cell.h"

namespace opbyop::optrace {
namespace {

using nlohmann::ordered_json;

std::string Dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Microseconds with six decimals. Formatted from the integer, because a double loses picoseconds after an hour.
std::string Microseconds(int64_t ps) { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

ordered_json MetadataEvent(const char* name, int64_t pid, int64_t tid, const char* key, const ordered_json& value) {
  return {{"ph", "M"}, {"name", name}, {"pid", pid}, {"tid", tid}, {"args", {{key, value}}}};
}

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, OutputFile& file) : file_(file), flows_(trace), clocks_(trace) {
    const ordered_json other = {{"schema", kSchema},           {"run_id", trace.header.run_id},
                                {"model", trace.header.model}, {"target", trace.header.target},
                                {"clock", ClockText(trace)},   {"command", trace.header.command}};
    file_.Write(fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[", Dump(other)));
  }

  void Begin(const TimelineRow& row) {
    const auto [process, added] =
        processes_.try_emplace({row.device, row.core, row.section}, static_cast<int64_t>(processes_.size()) + 1);
    pid_ = process->second;
    if (added) {
      const std::string title = fmt::format("{} (device {} core {})", SectionTitle(row.section), row.device, row.core);
      Event(MetadataEvent("process_name", pid_, 0, "name", title));
      Event(MetadataEvent("process_sort_index", pid_, 0, "sort_index", pid_));
    }
    ++tid_;
    category_ = ToString(row.section);
    row_ = row;
    Event(MetadataEvent("thread_name", pid_, tid_, "name", row.title));
    Event(MetadataEvent("thread_sort_index", pid_, tid_, "sort_index", tid_));
  }

  void Add(const Slice& slice) {
    std::string fused;
    for (const std::string& member : slice.members) fused += (fused.empty() ? "" : ",") + Dump(member);
    const std::string_view clock = clocks_.Of(row_, slice);
    Separate();
    file_.Write(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"cat":"{}","name":{},"args":{{"start_ps":{},"dur_ps":{},"fused":[{}]{}}}}})",
        pid_, tid_, Microseconds(slice.start), Microseconds(slice.end - slice.start), category_, Dump(slice.name),
        slice.start, slice.end - slice.start, fused, clock.empty() ? "" : fmt::format(R"(,"clock":"{}")", clock)));
    for (const FlowStep& step : flows_.In(row_, slice)) {
      Separate();
      file_.Write(fmt::format(
          R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"flow","name":"execution of an op","bp":"e"}})",
          step.first  ? 's'
          : step.last ? 'f'
                      : 't',
          step.flow, pid_, tid_, Microseconds(slice.start)));
    }
  }

  Expected<void> Close() {
    file_.Write("\n]}\n");
    return file_.Close();
  }

 private:
  void Separate() {
    file_.Write(first_ ? "\n" : ",\n");
    first_ = false;
  }
  void Event(const ordered_json& event) {
    Separate();
    file_.Write(Dump(event));
  }

  OutputFile& file_;
  Flows flows_;
  SliceClocks clocks_;
  TimelineRow row_;  // without its slices
  bool first_ = true;
  int64_t pid_ = 0;
  int64_t tid_ = 0;
  std::string category_;
  std::map<std::tuple<int64_t, int64_t, Section>, int64_t> processes_;
};

ordered_json NeuronOps(const std::vector<OperatorRow>& rows) {
  ordered_json ops = ordered_json::array();
  int64_t total_ps = 0;
  for (const OperatorRow& row : rows) {
    ops.push_back({{"name", row.name},
                   {"occurrences", row.occurrences},
                   {"device", row.device},
                   {"core", row.core},
                   {"time_ns", static_cast<double>(row.time_ps) / 1000},
                   {"time_percent", row.percent},
                   {"clock", ClockName(row.clock)}});
    total_ps += row.time_ps;
  }
  return {{"ops", ops}, {"total_time", total_ps / 1000}};
}

Expected<void> WriteAll(const std::filesystem::path& path, std::string_view text) {
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  (*file)->Write(text);
  return (*file)->Close();
}

}  // namespace

Expected<void> ExportChrome(const Trace& trace, const std::filesystem::path& path) {
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  ChromeWriter writer(trace, **file);
  DrawTimeline(trace, [&](const TimelineRow& row) { writer.Begin(row); }, [&](Slice&& slice) { writer.Add(slice); });
  return writer.Close();
}

Expected<void> ExportCsv(const Trace& trace, Grouping grouping, const std::filesystem::path& path) {
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  (*file)->Write(
      "Op Name,Occurrences,Device,Core,Time (ns),Time %,Avg (ns),Min (ns),p95 (ns),Cum %,Self %,GFLOP/s,GB/s,"
      "Bound by,Status,Max ULP,PCC,Clock\n");
  for (const OperatorRow& row : OperatorTable(trace, grouping)) {
    const double seconds = static_cast<double>(row.time_ps) * 1e-12;
    const auto ns = [](int64_t ps) { return static_cast<double>(ps) / 1e3; };
    (*file)->Write(
        fmt::format("{},{},{},{},{:.3f},{:.4f},{:.3f},{:.3f},{:.3f},{:.4f},{:.4f},{:.4f},{:.4f},{},{},{},{},{}\n",
                    CsvCell(row.name), row.occurrences, row.device, row.core, ns(row.time_ps), row.percent,
                    ns(row.average_ps), ns(row.min_ps), ns(row.p95_ps), row.cumulative_percent, row.self_percent,
                    seconds > 0 ? row.flops / seconds / 1e9 : 0, seconds > 0 ? row.bytes / seconds / 1e9 : 0,
                    row.bound_by, StatusText(row.status), row.max_ulp, row.pcc, ClockName(row.clock)));
  }
  return (*file)->Close();
}

Expected<void> ExportFolded(const Trace& trace, const std::filesystem::path& path) {
  const std::vector<int64_t> times = ExecutionTimes(trace);
  std::map<std::string, int64_t> stacks;
  for (const Op& op : trace.ops) {
    if (times[op.id] == 0) continue;
    std::string stack = trace.header.model;
    for (const std::string& part : op.path) stack += ";" + part;
    stack += ";" + FrameworkName(op) + ";" + HloName(op);
    stacks[stack] += times[op.id];
  }
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  for (const auto& [stack, time] : stacks) (*file)->Write(fmt::format("{} {}\n", stack, time));
  return (*file)->Close();
}

Expected<void> ExportNeuron(const Trace& trace, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const ordered_json framework = NeuronOps(OperatorTable(trace, Grouping::kFramework));
  if (auto done = WriteAll(folder / "neuron_framework_op.json", Dump(framework)); !done) return done;
  const ordered_json hlo = NeuronOps(OperatorTable(trace, Grouping::kHlo));
  if (auto done = WriteAll(folder / "neuron_hlo_op.json", Dump(hlo)); !done) return done;
  return ExportChrome(trace, folder / "neuron_op_timeline.json");
}

Expected<void> ExportNodeData(const Trace& trace, const std::filesystem::path& path) {
  const std::vector<int64_t> times = ExecutionTimes(trace);
  const int64_t total = std::reduce(times.begin(), times.end());
  const std::vector<std::optional<Clock>> clocks = ExecutionClocks(trace);
  ordered_json nodes = ordered_json::object();
  for (const Op& op : trace.ops) {
    nodes[HloName(op)] = {
        {"case", op.case_id},
        {"path", FrameworkPath(op)},
        {"location", op.location},
        {"time_ns", static_cast<double>(times[op.id]) / 1000},
        {"percent", total == 0 ? 0 : 100.0 * static_cast<double>(times[op.id]) / static_cast<double>(total)},
        {"clock", ClockName(clocks[op.id])}};
  }
  for (const OpRun& run : trace.runs) nodes[HloName(trace.ops[run.op])]["status"] = StatusText(run.status);
  for (const OutputCompare& compare : trace.compares) {
    if (compare.mode != CompareMode::kIsolated) continue;
    ordered_json& node = nodes[HloName(trace.ops[compare.op])];
    node["max_ulp"] = compare.comparison.max_ulp;
    node["pcc"] = compare.comparison.pcc;
  }
  return WriteAll(path, Dump({{"nodes", nodes}}) + "\n");
}

}  // namespace opbyop::optrace
