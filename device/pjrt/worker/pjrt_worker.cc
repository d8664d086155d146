// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/pjrt_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "device/command/ttnn_placements.h"
#include "device/device_span.h"
#include "device/pjrt/abi_version.h"
#include "device/pjrt/worker/blame.h"
#include "device/pjrt/worker/case_runner.h"
#include "device/request_sharding.h"
#include "manifests/results/result.h"
#include "protocol/build_identity.h"
#include "protocol/worker_message.h"
#include "support/files/file.h"

namespace opbyop::pjrt {
namespace {

using protocol::CompileVerb;
using protocol::ExecuteVerb;
using protocol::Reply;
using protocol::Request;
using protocol::StageEvents;

constexpr std::string_view kParse = "parse";
constexpr std::string_view kShardy = "shardy";

// The compiler's figures for the whole program. Figures for single operands ("bytes accessed0{}") are left out.
nlohmann::json CostOf(const Executable& executable) {
  nlohmann::json cost = nlohmann::json::object();
  for (const auto& [name, value] : executable.Costs().value_or(NamedValues())) {
    if (name.empty() || name.find('{') != std::string::npos || std::isdigit(static_cast<unsigned char>(name.back()))) {
      continue;
    }
    double number = NAN;
    if (const auto* fraction = std::get_if<float>(&value)) number = *fraction;
    if (const auto* integer = std::get_if<int64_t>(&value)) number = static_cast<double>(*integer);
    std::string word = name;
    std::ranges::replace(word, ' ', '_');
    if (std::isfinite(number) && cost.size() < protocol::kMaxProperties) cost[word] = number;
  }
  return cost;
}

// The TTNN text that a stage of the compiler left in the case's folder; empty if there is none.
std::string TtnnText(const std::filesystem::path& dir, const std::vector<const Stage*>& stages) {
  std::string found;
  for (const Stage* stage : stages) {
    if (stage->placements.empty() || stage->produces.empty()) continue;
    glob_t files = {};
    if (::glob((dir / stage->produces).c_str(), 0, nullptr, &files) == 0) {
      found = ReadFile(files.gl_pathv[0]).value_or("");
    }
    ::globfree(&files);
  }
  return found;
}

// An execution counts only if the executable is for as many processes as the case has: a plugin may ignore what it was
// asked for, and compile one program for all.
Expected<void> CheckGrid(const Executable& facts, const Grid& grid) {
  if (grid == Grid()) return {};
  const Result<size_t> replicas = facts.NumReplicas();
  const Result<size_t> partitions = facts.NumPartitions();
  if (!replicas) return Unexpected(ToError(replicas.error()));
  if (!partitions) return Unexpected(ToError(partitions.error()));
  if (static_cast<int64_t>(*replicas) == grid.replicas && static_cast<int64_t>(*partitions) == grid.partitions) {
    return {};
  }
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("the plugin's executable is for {} replicas and {} partitions, the case has {} and {}",
                               *replicas, *partitions, grid.replicas, grid.partitions));
}

}  // namespace

Reply PjrtWorker::Handle(const Request& request, StageEvents& events) {
  if (const auto* compile = std::get_if<CompileVerb>(&request.verb)) return Compile(request, *compile, events);
  if (const auto* execute = std::get_if<ExecuteVerb>(&request.verb)) return Execute(request, *execute, events);
  if (std::holds_alternative<protocol::ReleaseVerb>(request.verb)) return Forget(), Reply();
  return Reply::Unsupported(
      fmt::format("this worker knows the verbs compile, execute and release, not '{}'", NameOf(request.verb)));
}

// Returns the artifact, and the arguments that the program donates.
Expected<std::string> PjrtWorker::Parse(const Request& request, const CompileVerb& compile,
                                        std::vector<int64_t>& donated) {
  // The plugin reads text too, and must judge it by itself.
  if (compile.verbatim) return ReadFile(request.file);
  if (writer_ == nullptr) return MakeError(ExitCode::kInternal, "this worker was started for `execute` alone");
  // A plugin may take another text for no sharding, or die of it.
  if (const auto sharding = device::ShardingOf(request); !sharding) return Unexpected(sharding.error());
  const std::filesystem::path file = request.dir / "0_parse.mlirbc";
  const Expected<WrittenArtifact> written =
      writer_->Write({.file = request.file,
                      .output = file,
                      .oldest = session_->OldestVersion(),
                      .newest = session_->NewestVersion(),
                      .partitioned = request.grid.partitions > 1 && request.shardings == protocol::Shardings(),
                      .arguments = request.shardings.inputs,
                      .results = request.shardings.outputs,
                      .partitions = request.grid.partitions,
                      .shardy = request.partitioner == kShardy,
                      .text = request.save_intermediates ? request.dir / "0_parse.mlir" : std::filesystem::path()});
  if (!written) return Unexpected(written.error());
  donated = written->donated;
  Expected<std::string> artifact = ReadFile(file);
  std::error_code error;
  if (!request.save_intermediates) std::filesystem::remove(file, error);
  return artifact;
}

Expected<void> PjrtWorker::CompileCase(const Request& request, const CompileVerb& compile, const std::string& artifact,
                                       Case& made, size_t& failed_stage) {
  NamedValues options = ToNamedValues(session_->target().compile_options, request.dir);
  if (request.save_intermediates) {
    for (auto& [name, value] : ToNamedValues(session_->target().dump_options, request.dir)) {
      options.insert_or_assign(name, value);
    }
  }
  Result<Compiled> compiled = session_->Compile(artifact, request.grid, request.partitioner == kShardy, options);
  if (!compiled) {
    CompileEnd end =
        ReadCompileError(compiled.error(), stages_,
                         {.scratch = request.dir, .file = request.file, .file_name = request.case_id + ".mlir"});
    failed_stage = end.stage;
    return Unexpected(end.error);
  }
  made.compiled = std::move(*compiled);
  made.ttnn = TtnnText(request.dir, stages_);
  const Result<size_t> outputs = made.compiled.facts->NumOutputs();
  if (!outputs) return Unexpected(ToError(outputs.error()));
  made.outputs = *outputs;
  // For a program that the compiler must refuse, the outputs of the case are meaningless.
  if (!compile.verbatim && made.outputs != request.outputs.size()) {
    return MakeError(ExitCode::kBadInput, fmt::format("the executable has {} outputs by the plugin, {} by the program",
                                                      made.outputs, request.outputs.size()));
  }
  if (const Expected<void> checked = CheckGrid(*made.compiled.facts, request.grid); !checked) return checked;
  Expected<CaseDivision> division = DivisionOf(*made.compiled.facts, request, made.ttnn);
  if (!division) return Unexpected(division.error());
  made.division = std::move(*division);
  made.artifact_bytes = std::max<int64_t>(0, made.compiled.facts->CodeBytes().value_or(0));
  return {};
}

// Saves the executable, if it is requested, and the intermediate programs of the compiler.
Expected<void> PjrtWorker::Save(const Request& request, const CompileVerb& compile, const Case& made) const {
  const Executable& facts = *made.compiled.facts;
  if (request.save_intermediates) {
    if (const Result<Program> program = facts.OptimizedProgram()) {
      const Expected<void> written = WriteFile(request.dir / ("1_compile." + program->format), program->code);
      if (!written) return written;
    }
  }
  if (compile.artifact.empty() && !request.save_intermediates) return {};
  const Result<std::string> bytes = facts.Serialize();
  if (!bytes) {
    if (compile.artifact.empty()) return {};
    return Unexpected(ToError(bytes.error()));
  }
  if (request.save_intermediates) {
    if (const Expected<void> written = WriteFile(request.dir / "1_compile.bin", *bytes); !written) return written;
  }
  if (compile.artifact.empty()) return {};
  return WriteFile(compile.artifact,
                   EncodeExecutable({.donated = made.donated,
                                     .bytes = *bytes,
                                     .abi_version = VersionOfExecutable(session_->api(), facts).value_or("")}));
}

// Drops the last case. If the plugin crashes in doing so, the next case is not to blame.
void PjrtWorker::Forget() {
  if (last_ == nullptr) return;
  const Blame blame("destroying the executable of " + last_->id);
  last_.reset();
}

Expected<void> PjrtWorker::RunStages(StageEvents& events, const std::function<Expected<void>(size_t&)>& compile) {
  size_t failed = 0;
  events.Begin(stages_.front()->name);
  const Expected<void> done = compile(failed);
  const size_t last = done ? stages_.size() - 1 : failed;
  for (size_t i = 0; i < last; ++i) {
    events.End();
    events.Begin(stages_[i + 1]->name);
  }
  if (done) {
    events.End();
  } else {
    events.End(protocol::StatusOf(done.error()), done.error().message);
  }
  return done;
}

Reply PjrtWorker::Compile(const Request& request, const CompileVerb& compile, StageEvents& events) {
  Forget();
  auto made = std::make_shared<Case>();
  made->id = request.case_id;
  const auto parse = [&] { return Parse(request, compile, made->donated); };
  const Expected<std::string> artifact = request.after == kParse ? parse() : events.Run(kParse, parse);
  if (!artifact) return Reply::Of(artifact.error());
  if (compile.until == kParse) return {};
  const Expected<void> compiled = RunStages(events, [&](size_t& failed_stage) -> Expected<void> {
    failed_stage = 0;
    if (const Expected<void> done = CompileCase(request, compile, *artifact, *made, failed_stage); !done) return done;
    failed_stage = stages_.size() - 1;
    return Save(request, compile, *made);
  });
  if (!compiled) return Reply::Of(compiled.error());
  Reply reply;
  if (made->artifact_bytes > 0) reply.payload["artifact_bytes"] = made->artifact_bytes;
  if (const nlohmann::json cost = CostOf(*made->compiled.facts); !cost.empty()) reply.payload["cost"] = cost;
  if (const auto memory = made->compiled.facts->MemoryUse()) reply.payload["memory"] = *memory;
  if (const Placements placements = command::TtnnPlacements(made->ttnn); !placements.empty()) {
    reply.payload["placements"] = placements;
  }
  if (!compile.artifact.empty()) reply.payload["saved"] = true;
  if (request.shardings != protocol::Shardings()) {
    reply.payload["partitioning"] =
        fmt::format("by {}{}", request.partitioner == kShardy ? kShardy : "gspmd", made->division.changed);
  }
  if (compile.keep) {
    kept_[made->id] = made;
    reply.payload["kept"] = true;
  }
  last_ = std::move(made);
  return reply;
}

// Asks the plugin whether it runs what another build of it may have compiled.
Expected<void> PjrtWorker::CheckVersion(const SavedExecutable& saved) const {
  if (!KnowsAbiVersions(session_->api()) || session_->client() == nullptr) return {};
  const char* allowed = std::getenv(protocol::kOtherVersionVariable);
  if (allowed != nullptr && std::string_view(allowed) == "1") return {};
  if (saved.abi_version.empty()) {
    return MakeError(ExitCode::kUnsupported,
                     "the plugin that compiled this executable did not say its version, so that the one here cannot be "
                     "asked whether it runs it; --allow-other-version runs it nevertheless");
  }
  const Result<void> runs = MayRun(session_->api(), *session_->client(), saved.abi_version);
  if (runs || runs.error().absent) return {};
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("the plugin says that it does not run this executable, which another version compiled: "
                               "{}; --allow-other-version runs it nevertheless",
                               ToError(runs.error()).message));
}

// Makes the case of an `execute` the current one.
Expected<void> PjrtWorker::LoadSaved(const Request& request, const std::filesystem::path& artifact) {
  Forget();
  const Expected<std::string> file = ReadFile(artifact);
  if (!file) return Unexpected(file.error());
  Expected<SavedExecutable> saved = DecodeExecutable(*file);
  if (!saved) return Unexpected(saved.error());
  if (const Expected<void> runs = CheckVersion(*saved); !runs) return runs;
  Result<Compiled> compiled = session_->Load(saved->bytes);
  if (!compiled) return Unexpected(ToError(compiled.error()));
  auto made = std::make_shared<Case>();
  made->id = request.case_id;
  made->compiled = std::move(*compiled);
  made->donated = std::move(saved->donated);
  made->outputs = request.outputs.size();
  made->artifact_bytes = static_cast<int64_t>(file->size());
  if (const auto outputs = made->compiled.facts->NumOutputs(); outputs && *outputs != made->outputs) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the saved executable has {} outputs, the program {}", *outputs, made->outputs));
  }
  // The worker that compiled the executable has checked it. Not every plugin says of a loaded one how it is divided.
  Expected<CaseDivision> division = DivisionOf(*made->compiled.facts, request, made->ttnn);
  if (!division && division.error().code == ExitCode::kUnsupported) {
    Expected<std::shared_ptr<const CaseSharding>> asked = device::ShardingOf(request);
    if (!asked) return Unexpected(asked.error());
    division = CaseDivision{.sharding = std::move(*asked), .changed = {}};
  }
  if (!division) return Unexpected(division.error());
  made->division = std::move(*division);
  last_ = std::move(made);
  return {};
}

// After a failed execution on several devices all later ones may hang: the devices wait for each other.
void PjrtWorker::RenewClient() {
  Forget();
  kept_.clear();
  const Blame blame("replacing the client after a failed execution on several devices");
  if (const Expected<void> renewed = session_->RenewClient(); !renewed) {
    fmt::print(stderr, "{}\n", renewed.error().message);
    std::exit(static_cast<int>(ExitCode::kInternal));
  }
}

Reply PjrtWorker::Execute(const Request& request, const ExecuteVerb& execute, StageEvents& events) {
  const auto kept = kept_.find(request.case_id);
  const bool has_last = last_ != nullptr && last_->id == request.case_id;
  if (execute.artifact.empty() && kept == kept_.end() && !has_last) {
    return Reply::Fail(fmt::format("execute of '{}' without its artifact: the last compiled case is '{}'",
                                   request.case_id, last_ == nullptr ? "" : last_->id));
  }
  device::DeviceLog recorded;
  device::DeviceLog* const log = execute.spans ? &recorded : nullptr;
  std::shared_ptr<Case> current = kept == kept_.end() ? last_ : kept->second;
  std::unique_ptr<CaseRunner> runner;
  const Expected<void> loaded = events.Run("load", [&]() -> Expected<void> {
    if (!execute.artifact.empty()) {
      device::SpanTimer timer(log, "load");
      if (const Expected<void> done = LoadSaved(request, execute.artifact); !done) return done;
      current = last_;
    }
    if (!session_->absent_device().empty()) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("compiled only, there is no device to execute on: {}", session_->absent_device()));
    }
    const auto devices = static_cast<size_t>(request.grid.processes());
    if (devices > session_->devices().size()) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("needs {} devices, has {}", devices, session_->devices().size()));
    }
    if (const Expected<void> checked = CheckGrid(*current->compiled.facts, request.grid); !checked) return checked;
    runner = std::make_unique<CaseRunner>(*session_->client(), std::span(session_->devices()).first(devices),
                                          *current->compiled.loaded, current->outputs, current->donated,
                                          current->division.sharding);
    return runner->Load(request.dir, request.inputs, log);
  });
  if (!loaded) return Reply::Of(loaded.error());
  const Expected<Timing> timing = events.Run(
      "execute", [&] { return runner->Execute(request, execute.repeat, log, execute.host_clock ? nullptr : &clock_); });
  if (!timing) {
    if (request.grid != Grid()) {
      runner.reset();
      current.reset();
      RenewClient();
    }
    return Reply::Of(timing.error());
  }
  Reply reply;
  if (current->artifact_bytes > 0) reply.payload["artifact_bytes"] = current->artifact_bytes;
  if (!execute.artifact.empty()) reply.payload["loaded"] = true;
  if (log != nullptr) {
    reply.payload["spans"] = protocol::SpanLines(log->spans);
    if (log->longest_ns > 0) reply.payload["longest_ns"] = log->longest_ns;
    if (!log->why_host_clock.empty()) reply.payload["why_host_clock"] = log->why_host_clock;
  }
  if (timing->n > 0) reply.payload["timing"] = *timing;
  if (execute.profile && log != nullptr) {
    const Expected<void> saved =
        log->trace.empty() ? MakeError(ExitCode::kUnsupported,
                                       log->why_host_clock.empty() ? "the profiler was not used" : log->why_host_clock)
                           : WriteFile(request.dir / protocol::kProfileFile, log->trace);
    if (!saved) reply.payload["why_no_profile"] = saved.error().message;
  }
  return reply;
}

}  // namespace opbyop::pjrt
