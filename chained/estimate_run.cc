// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/estimate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chained/profile_program.h"
#include "chained/program_plan.h"
#include "generator/split/model_split.h"
#include "harness/run/run_header.h"
#include "harness/worker/case_client.h"
#include "manifests/optrace/trace_file.h"
#include "mlir/IR/MLIRContext.h"
#include "reports/optrace/operator_table.h"
#include "support/text/count_text.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using optrace::Section;

namespace fs = std::filesystem;

// The worker's folder, the only one that it may write to.
constexpr std::string_view kEstimateSlot = "estimate";

Expected<std::unique_ptr<harness::CaseClient>> StartCompiler(const Target& target, fs::path cases) {
  Expected<std::unique_ptr<harness::CaseClient>> client =
      harness::CaseClient::Start(target, kEstimateSlot, std::move(cases));
  if (!client) return client;
  // A compiler's memory grows with the cases it keeps: the worker is replaced before a limit makes a case
  // out_of_memory.
  int64_t least_mb = Limits().memory_mb;
  for (const Stage& stage : target.stages) least_mb = std::min(least_mb, stage.limits.memory_mb);
  (*client)->worker().set_rss_limit_kb(least_mb * 1024 / 2);
  return client;
}

CaseRecord Compile(harness::CaseClient& client, const Case& c, const std::function<std::string()>& text) {
  constexpr std::string_view kStart = "start";
  CaseRecord record{.id = c.id};
  if (const Expected<void> ready = client.worker().Start(); !ready) {
    harness::EndWithError(kStart, ready.error(), record);
    return record;
  }
  const Expected<harness::ScratchDir> dir = client.MakeFolder(c.id, 0);
  if (!dir) {
    harness::EndWithError(kStart, dir.error(), record);
    return record;
  }
  client.Compile({}, c, text, dir->path(), c.inputs, record);
  return record;
}

bool InBranch(const ProgramPlan::Place& place) {
  mlir::Operation* const parent = place.op->getParentOp();
  return IsBranching(parent) && parent->getName().getStringRef() != "stablehlo.while";
}

// The trace of a plan whose cases have been compiled.
class EstimateTrace {
 public:
  EstimateTrace(const ProgramPlan& plan, const std::map<std::string, CaseRecord>& compiled)
      : plan_(plan), compiled_(compiled) {}

  std::vector<optrace::Record> Records(ProfileResult& result) {
    int64_t in_loops = 0;
    for (const optrace::Op& op : plan_.ops()) records_.emplace_back(op);
    for (const optrace::Op& op : plan_.ops()) {
      AddOp(op, result);
      in_loops += plan_.InLoop(op.id) ? 1 : 0;
    }
    Warn("The times are estimated by the compiler: nothing was executed, and there are no transfers.");
    if (unknown_ops_ > 0) {
      Warn(fmt::format("unknown: {} compiled without an estimate and {} in no table: {}", CountText(unknown_ops_, "op"),
                       unknown_ops_ == 1 ? "is" : "are", unknown_names_));
    }
    if (in_loops > 0) {
      Warn(fmt::format("{} in loops: how often is not known, so that the times are of one trip",
                       in_loops == 1 ? "1 op runs" : fmt::format("{} ops run", in_loops)));
    }
    if (std::ranges::any_of(plan_.places(), InBranch)) {
      Warn("There are branches: the ops of each are counted, and a run takes one of them.");
    }
    return std::move(records_);
  }

  void Warn(std::string text) { records_.emplace_back(optrace::Warning{std::move(text)}); }
  int64_t end_ps() const { return end_ps_; }
  int64_t spans() const { return spans_; }

 private:
  void AddOp(const optrace::Op& op, ProfileResult& result) {
    const auto found = compiled_.find(op.case_id);
    optrace::OpRun run = {.op = op.id};
    if (found == compiled_.end()) {
      run.diagnostic = "it stands for no case: there is nothing to compile";
      AddUnknown(op);
    } else {
      const CaseRecord& record = found->second;
      run.stage = record.stages.empty() || record.status != Status::kPass ? record.stage : record.stages.back().name;
      run.status = record.status;
      run.diagnostic = record.diagnostic;
      const std::optional<int64_t> ps = EstimatedPs(record);
      if (ps) {
        AddSpan(op, *ps);
      } else if (record.status == Status::kPass) {
        // It compiles, but how long it would take is not known.
        run.status.reset();
        run.diagnostic = "the compiler gave no estimate of its time";
        AddUnknown(op);
      }
    }
    ++result.totals[run.status ? std::string(ToString(*run.status)) : std::string(kUnknown)];
    records_.emplace_back(std::move(run));
  }

  void AddSpan(const optrace::Op& op, int64_t ps) {
    optrace::Span span = {.id = spans_, .op = op.id, .section = Section::kExecution, .name = optrace::HloName(op)};
    span.start_ps = end_ps_;
    span.dur_ps = std::min(ps, std::numeric_limits<int64_t>::max() - end_ps_);
    span.clock = optrace::Clock::kEstimate;
    span.flow = ++spans_;
    end_ps_ = span.end_ps();
    records_.emplace_back(std::move(span));
  }

  void AddUnknown(const optrace::Op& op) {
    constexpr int64_t kNamed = 10;
    if (unknown_ops_ < kNamed) unknown_names_ += (unknown_ops_ == 0 ? "" : ", ") + optrace::HloName(op);
    if (unknown_ops_ == kNamed) unknown_names_ += ", ...";
    ++unknown_ops_;
  }

  const ProgramPlan& plan_;
  const std::map<std::string, CaseRecord>& compiled_;
  std::vector<optrace::Record> records_;
  std::string unknown_names_;
  int64_t unknown_ops_ = 0;
  int64_t spans_ = 0;
  int64_t end_ps_ = 0;
};

optrace::TraceDevice DescribeDevice(const ProfileOptions& options) {
  optrace::TraceDevice device = {.name = options.target.name + ", estimated by the compiler"};
  device.peak_gflops = options.peak_gflops;
  device.peak_gb_per_s = options.peak_gb_per_s;
  if (device.peak_gflops > 0 && device.peak_gb_per_s > 0) device.peak_source = "given on the command line";
  return device;
}

Expected<void> RequireEstimates(const std::map<std::string, CaseRecord>& compiled, const Target& target) {
  if (compiled.empty()) return {};
  const auto passed = std::ranges::count_if(compiled, [](const auto& c) { return c.second.status == Status::kPass; });
  if (std::ranges::any_of(compiled, [](const auto& c) { return EstimatedPs(c.second).has_value(); })) return {};
  if (passed == 0) {
    const CaseRecord& first = compiled.begin()->second;
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: target {} compiles none of {}, so there is nothing to estimate; {}: {} "
                                 "in {}: {}",
                                 target.name, CountText(compiled.size(), "case"), first.id, ToString(first.status),
                                 first.stage, first.diagnostic));
  }
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("unsupported: target {} gives no estimate of an op's time: none of {} has "
                               "`optimal_seconds` in its `cost`; tpu-v5e is a target that does",
                               target.name, CountText(passed, "compiled case")));
}

}  // namespace

std::optional<int64_t> EstimatedPs(const CaseRecord& record) {
  constexpr double kPsPerSecond = 1e12;
  // of one op; a longer time is not credible, and its picoseconds would overflow a sum of 64 bits
  constexpr double kMostSeconds = 1e6;
  const auto found = record.cost.find("optimal_seconds");
  if (record.status != Status::kPass || found == record.cost.end()) return std::nullopt;
  if (!(found->second > 0) || found->second > kMostSeconds) return std::nullopt;
  return std::max<int64_t>(std::llround(found->second * kPsPerSecond), 1);
}

Expected<ProfileResult> EstimateModel(const ProfileOptions& options) {
  const auto say = [&](const std::string& text) {
    if (options.say) options.say(text);
  };
  if (options.model.error) return Unexpected(*options.model.error);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const Model program = ProgramOf(options);
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadProgram(program, options, context);
  if (!module) return Unexpected(module.error());
  Expected<CaseMap> map = MapCases(module->get(), program, options.manifest, options.target, Shards::kGlobal);
  if (!map) return Unexpected(map.error());
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  if (!plan) return Unexpected(plan.error());

  const fs::path cases = options.cases.empty() ? options.output / "cases" : options.cases;
  const Expected<std::unique_ptr<harness::CaseClient>> compiler = StartCompiler(options.target, cases);
  if (!compiler) return Unexpected(compiler.error());
  say(fmt::format("{}: {}, {} of them distinct, to be estimated by the compiler of {}", options.model.name,
                  CountText(plan->ops().size(), "op"), map->cases().size(), options.target.name));
  std::map<std::string, CaseRecord> compiled;
  for (const CaseMap::Entry& entry : map->cases()) {
    if (options.stop != nullptr && options.stop->load()) {
      return MakeError(ExitCode::kPartial, "interrupted: an estimate that did not end is not written");
    }
    if (options.progress) options.progress({"compiled", compiled.size(), map->cases().size()});
    compiled[entry.c.id] = Compile(**compiler, entry.c, [&] { return map->Text(entry); });
  }
  if (const Expected<void> some = RequireEstimates(compiled, options.target); !some) return Unexpected(some.error());

  ProfileResult result = {.trace = options.output / "optrace.ndjson", .complete = true};
  EstimateTrace trace(*plan, compiled);
  std::vector<optrace::Record> records = trace.Records(result);
  optrace::Footer footer = {.spans = trace.spans()};
  if (options.whole_model) {
    say("the model in one piece");
    const CaseRecord whole = Compile(**compiler, WholeModel(*map), [&] { return TextOf(map->module()); });
    footer.whole_model_ps = EstimatedPs(whole).value_or(0);
    footer.whole_model_clock = optrace::Clock::kEstimate;
    if (whole.status != Status::kPass) {
      footer.whole_model_status = whole.status;
      footer.whole_model_verdict = fmt::format("{} in {}: {}", ToString(whole.status), whole.stage, whole.diagnostic);
      result.whole = whole;
    }
  }
  footer.wall_ps = trace.end_ps();
  records.emplace_back(footer);

  optrace::Header header = MakeHeader(options, harness::MachineHeader(), (*compiler)->worker().hello().version);
  header.mode = optrace::RunMode::kEstimate;
  header.devices = {DescribeDevice(options)};
  std::error_code ignored;
  fs::create_directories(options.output, ignored);
  auto writer = optrace::TraceWriter::Create(result.trace, header, PrivateValuesOf(options));
  if (!writer) return Unexpected(writer.error());
  if (const Expected<void> written = (*writer)->Write(records); !written) return Unexpected(written.error());
  return result;
}

}  // namespace opbyop::chained
