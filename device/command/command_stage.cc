// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/command_stage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <vector>

#include "device/command/diagnosis.h"
#include "device/command/placeholders.h"
#include "support/files/file.h"
#include "support/files/file_tree.h"
#include "support/process/process.h"

namespace opbyop::command {
namespace {

using device::StageResult;

namespace fs = std::filesystem;

constexpr int64_t kMegabyte = 1 << 20;

// The largest log that is kept, in bytes.
constexpr size_t kKeptLogBytes = size_t{64} << 20;

// The interval at which a kept log is written to its file. A command that hangs is killed together with this process,
// so the log must be there before.
constexpr std::chrono::milliseconds kLogInterval{500};

// The wait has no limit of its own: the parent ends a stage by killing this process, and the command with it.
constexpr std::chrono::hours kForever{24};

int64_t BytesBelow(const fs::path& dir) {
  int64_t total = 0;
  VisitTree(dir, [&](const struct stat& file) {
    if (S_ISREG(file.st_mode)) total += static_cast<int64_t>(file.st_size);
    return true;
  });
  return total;
}

LogPaths PathsOf(const StageFiles& files) { return {files.dir, files.file, files.file_name}; }

void WriteLog(const StageFiles& files, const Process& process) {
  // A log that cannot be written is missing in the folder; the stage's result does not depend on it.
  if (!files.log_file.empty()) (void)WriteFile(files.log_file, process.log().text());
}

std::set<std::string> FilesIn(const fs::path& dir) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) names.insert(entry.path().filename().string());
  return names;
}

StageResult DiskExceeded(const Stage& stage) {
  return {Status::kFail, fmt::format("`{}` wrote more than its limit of {} MB (disk_mb)", stage.command.front(),
                                     stage.limits.disk_mb)};
}

// Whether a file reached the limit. The kernel stops a writer there, and the writer may ignore the signal.
bool AtFileLimit(const fs::path& dir, int64_t limit) {
  bool found = false;
  VisitTree(dir, [&](const struct stat& file) {
    found = S_ISREG(file.st_mode) && static_cast<int64_t>(file.st_size) >= limit;
    return !found;
  });
  return found;
}

StageResult JudgeExit(const Stage& stage, const StageFiles& files, const Exit& exit, std::string_view log) {
  const int64_t limit = stage.limits.disk_mb * kMegabyte;
  if (exit.signal == SIGXFSZ || (exit.code != 0 && AtFileLimit(files.dir, limit)) || BytesBelow(files.dir) > limit) {
    return DiskExceeded(stage);
  }
  const std::string quoted = QuoteDiagnostic(log, stage.diagnostic, PathsOf(files));
  const std::string name = fs::path(stage.command.front()).filename().string();
  if (exit.signal != 0) {
    const std::string why = fmt::format("{} died of {}", name, exit.Describe());
    return {Status::kCrash, quoted.empty() ? why : fmt::format("{}: {}", why, quoted)};
  }
  const auto known = stage.exit_codes.find(exit.code);
  if (exit.code == 0 && known == stage.exit_codes.end()) return {};
  if (known != stage.exit_codes.end() && known->second == Status::kPass) return {};
  const auto said = [&](std::string_view otherwise) { return quoted.empty() ? std::string(otherwise) : quoted; };
  const std::string silent = fmt::format("{} ended with {} and said nothing", name, exit.Describe());
  if (const auto reason = FindMeaning(log, stage.unsupported)) return {Status::kUnsupported, *reason};
  if (known != stage.exit_codes.end()) return {known->second, said(silent)};
  return {Status::kFail, said(silent)};
}

}  // namespace

fs::path OutputOf(const Stage& stage, const fs::path& dir) {
  return dir / (stage.produces.empty() ? stage.name + ".out" : stage.produces);
}

StageResult JudgeOutput(const Stage& stage, const StageFiles& files) {
  if (files.output.empty()) return {};
  std::error_code error;
  if (!fs::is_regular_file(files.output, error) || fs::file_size(files.output, error) == 0) {
    return {Status::kFail, fmt::format("it reported success, but left no {}", files.output.filename().string())};
  }
  if (stage.inconclusive.empty()) return {};
  const Expected<std::string> text = ReadFile(files.output);
  if (!text) return {Status::kFail, text.error().message};
  if (const auto reason = FindMeaning(*text, stage.inconclusive)) return {Status::kInconclusive, *reason};
  return {};
}

StageResult RunCommandStage(const Stage& stage, const StageFiles& files) {
  const Placeholders values = {.input = files.input.string(),
                               .output = files.output.string(),
                               .dir = files.dir.string(),
                               .case_id = files.case_id,
                               .target_dir = files.target_dir.string()};
  ProcessOptions options;
  options.argv = Expand(stage.command, values);
  for (const auto& [name, value] : stage.environment) options.environment[name] = Expand(value, values);
  options.directory = files.dir;
  options.max_file_bytes = stage.limits.disk_mb * kMegabyte;
  if (!files.log_file.empty()) options.log_bytes = kKeptLogBytes;

  const std::set<std::string> before = FilesIn(files.dir);
  Expected<std::unique_ptr<Process>> process = Process::Spawn(options);
  if (!process) return {Status::kFail, process.error().message};
  (*process)->CloseRequests();
  while (!(*process)->WaitFor(files.log_file.empty() ? kForever : kLogInterval)) WriteLog(files, **process);
  const Exit exit = (*process)->Kill(std::chrono::milliseconds(0));
  WriteLog(files, **process);
  const std::string log((*process)->log().text());
  std::fwrite(log.data(), 1, log.size(), stderr);

  StageResult result = JudgeExit(stage, files, exit, log);
  if (!result.passed()) return result;
  result = JudgeOutput(stage, files);
  if (result.status != Status::kFail) return result;
  std::vector<std::string> others;
  for (const std::string& name : FilesIn(files.dir)) {
    const fs::path path = files.dir / name;
    if (!before.contains(name) && path != files.output && path != files.log_file) others.push_back(name);
  }
  if (!others.empty()) result.diagnostic += fmt::format("; it wrote {} instead", fmt::join(others, ", "));
  return result;
}

}  // namespace opbyop::command
