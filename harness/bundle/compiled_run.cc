// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/compiled_run.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "manifests/results/results_file.h"
#include "manifests/runs/shard_files.h"
#include "manifests/targets/target.h"
#include "protocol/build_identity.h"
#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/text/count_text.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

// Returns the results of all cases, or of the only shard that the bundle holds.
fs::path ResultsIn(const fs::path& folder) {
  const std::vector<ShardFile> shards = FindShardFiles(folder);
  fs::path whole = folder / ResultsName(1, 1);
  return !fs::exists(whole) && shards.size() == 1 ? shards.front().path : whole;
}

using Properties = std::map<std::string, std::string>;

std::string Property(const Properties& properties, const char* name) {
  const auto found = properties.find(name);
  return found == properties.end() ? "" : found->second;
}

// "xla-cpu-pjrt 0.0.1, interface 0.81, sha256 12345678"
std::string Build(const Properties& properties) {
  constexpr size_t kShownDigits = 8;
  const std::string package = Property(properties, protocol::kBuildPackage);
  return fmt::format("{}, interface {}, sha256 {}", package.empty() ? "a plugin of no package" : package,
                     Property(properties, protocol::kBuildInterface),
                     Property(properties, protocol::kBuildDigest).substr(0, kShownDigits));
}

}  // namespace

std::string OtherVersion(const Properties& compiled, const Properties& here) {
  const auto same = [&](const char* name) {
    const std::string text = Property(compiled, name);
    return !text.empty() && text == Property(here, name);
  };
  const bool both_say = compiled.contains(protocol::kBuildDigest) && here.contains(protocol::kBuildDigest);
  const bool is_asked = compiled.contains(protocol::kJudgesExecutables) && here.contains(protocol::kJudgesExecutables);
  if (!both_say || is_asked || same(protocol::kBuildDigest)) return "";
  if (same(protocol::kBuildPackage) && same(protocol::kBuildInterface)) return "";
  return fmt::format("compiled with {}, executed with {}", Build(compiled), Build(here));
}

void NoteOtherVersion(const std::string& other_version, CaseRecord& record) {
  for (StageRecord& stage : record.stages) {
    if (stage.name != kLoadStage || other_version.empty()) continue;
    stage.diagnostic = stage.diagnostic.empty() ? other_version : stage.diagnostic + "; " + other_version;
  }
}

std::string CompiledRun::OtherVersion(const Properties& here) const {
  return harness::OtherVersion(header_.properties, here);
}

Expected<std::string> ProgramDigest(const fs::path& file) {
  const Expected<std::string> text = ReadFile(file);
  return text ? Expected<std::string>(Sha256Hex(*text)) : Unexpected(text.error());
}

Expected<CompiledRun> CompiledRun::Load(const Bundle& bundle, const Manifest& manifest) {
  const fs::path file = ResultsIn(bundle.folder / kCompileFolder);
  Expected<Run> run = LoadRun(file);
  if (!run) return Unexpected(run.error());
  const auto refuse = [&](const std::string& why) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: {}", file.string(), why));
  };
  if (!run->bad_lines.empty()) return refuse(Describe(run->bad_lines) + "; copy the bundle again");
  if (!run->complete) {
    return refuse("the compilation was interrupted: repeat the command that was compiling it, which resumes it");
  }
  if (manifest.hash != bundle.manifest_hash || manifest.hash != run->header.manifest_hash) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: not the manifest that was compiled, its sha256 is {}, {} is "
                                 "recorded; copy or compile the bundle again",
                                 manifest.path.string(), manifest.hash, run->header.manifest_hash));
  }
  if (run->header.target != bundle.target) {
    return refuse(fmt::format("compiled for {}, the bundle is of {}", run->header.target, bundle.target));
  }
  CompiledRun compiled(std::move(run->header), ArtifactStore(bundle.folder, bundle.artifact_suffix));
  for (CaseRecord& record : run->cases) {
    std::string id = record.id;
    compiled.records_.insert_or_assign(std::move(id), std::move(record));
  }
  return compiled;
}

const CaseRecord* CompiledRun::Find(const std::string& case_id) const {
  const auto found = records_.find(case_id);
  return found == records_.end() ? nullptr : &found->second;
}

bool CompiledRun::MayExecute(const CaseRecord& compiled) {
  return (compiled.status == Status::kPass || compiled.status == Status::kFlaky) && !compiled.artifact_sha256.empty();
}

Expected<void> CompiledRun::Check(const std::vector<const Case*>& cases, const fs::path& manifest_folder) const {
  size_t damaged = 0;
  std::string first;
  for (const Case* c : cases) {
    const CaseRecord* compiled = Find(c->id);
    std::string why;
    if (compiled == nullptr) {
      why = fmt::format("{} was not compiled", c->id);
    } else if (MayExecute(*compiled)) {
      const fs::path program = manifest_folder / c->file;
      const Expected<std::string> digest = ProgramDigest(program);
      if (!digest || *digest != compiled->program_sha256) {
        why = fmt::format("{} is not the program that was compiled; copy the bundle again", program.string());
      } else if (const Expected<void> sound = artifacts_.Check(*compiled); !sound) {
        why = sound.error().message;
      }
    }
    if (why.empty()) continue;
    if (damaged++ == 0) first = why;
  }
  if (damaged == 0) return {};
  const std::string others = damaged == 1 ? "" : fmt::format(" (and {})", CountText(damaged - 1, "other case"));
  return MakeError(ExitCode::kBadInput, first + others);
}

std::map<std::string, std::string> CompiledRun::Origin() const {
  std::map<std::string, std::string> origin = header_.host;
  origin["run_id"] = header_.run_id;
  origin["start"] = header_.start;
  origin["toolchain"] = header_.toolchain;
  if (!header_.git_sha.empty()) origin["git_sha"] = header_.git_sha;
  return origin;
}

void BeginWith(const CaseRecord& compiled, CaseRecord& record) {
  record.status = Status::kPass;
  record.stage = compiled.stage;
  record.stages = compiled.stages;
  record.artifact_bytes = compiled.artifact_bytes;
  record.peak_rss_kb = compiled.peak_rss_kb;
  record.cost = compiled.cost;
  record.memory = compiled.memory;
  record.placements = compiled.placements;
  record.partitioning = compiled.partitioning;
  record.artifact_sha256 = compiled.artifact_sha256;
  record.program_sha256 = compiled.program_sha256;
}

void AddCompileRecord(const CaseRecord& compiled, const std::map<std::string, std::string>& origin,
                      const std::string& here, CaseRecord& record) {
  record.wall_ms += compiled.wall_ms;
  const auto cpu = origin.find("cpu");
  if (record.status == Status::kCrash && record.signal == SIGILL && cpu != origin.end() && cpu->second != here) {
    record.diagnostic += fmt::format("; it was compiled on {}, this machine is {}", cpu->second, here);
  }
  if (compiled.status != Status::kFlaky || IsFailure(record.status)) return;
  record.status = Status::kFlaky;
  record.stage = compiled.stage;
  record.diagnostic = compiled.diagnostic;
  record.first_attempt = compiled.first_attempt;
  record.attempts = std::max(record.attempts, compiled.attempts);
  record.signal = compiled.signal;
  record.stderr_tail = compiled.stderr_tail;
}

}  // namespace opbyop::harness
