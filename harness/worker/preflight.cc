// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/preflight.h"

#include <fmt/format.h>
#include <poll.h>

#include <memory>
#include <optional>

#include "support/files/project_folder.h"
#include "support/process/process.h"
#include "support/text/placeholders.h"

namespace opbyop::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGrace(100);

std::string LastLine(const LogTail& log) {
  const std::vector<std::string> lines = log.Lines(1);
  return lines.empty() ? "" : lines.back();
}

// Waits for the process and reads its log; nullopt if it did not end in time.
std::optional<Exit> WaitFor(Process& process, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  while (steady_clock::now() < deadline) {
    constexpr int kLookMs = 50;
    pollfd log = {process.log_fd(), POLLIN, 0};
    ::poll(&log, process.log_fd() < 0 ? 0 : 1, kLookMs);
    process.DrainLog();
    if (process.log_fd() >= 0) continue;
    if (std::optional<Exit> exit = process.WaitFor(milliseconds(kLookMs))) return exit;
  }
  return std::nullopt;
}

}  // namespace

Expected<std::string> RunPreflight(const std::vector<std::string>& argv, const WorkerSpec& spec,
                                   const PreflightOptions& options) {
  ProcessOptions child = {.environment = spec.environment, .supervision = spec.supervision};
  for (const std::string& argument : argv) {
    child.argv.push_back(ExpandPlaceholders(argument, {{"bin", ProgramFolder().string()},
                                                       {"root", ProjectFolder().string()},
                                                       {"file", options.file.string()},
                                                       {"out", options.out.string()}}));
  }
  const Expected<std::unique_ptr<Process>> spawned = Process::Spawn(child);
  if (!spawned) return Unexpected(spawned.error());
  Process& process = **spawned;
  process.CloseRequests();
  const std::optional<Exit> exit = WaitFor(process, options.limit);
  if (!exit) {
    process.Kill(kGrace);
    return MakeError(ExitCode::kBadInput, fmt::format("the preflight {} did not end within {} s", argv.front(),
                                                      options.limit.count() / 1000));
  }
  const std::string line = LastLine(process.log());
  if (exit->signal == 0) {
    const auto code = static_cast<ExitCode>(exit->code);
    if (code == ExitCode::kOk || code == ExitCode::kUnexpectedResult) return line;
    if (code == ExitCode::kNoInput) return "";
    if (code == ExitCode::kBadInput && !line.empty()) return MakeError(code, line);
  }
  return MakeError(ExitCode::kBadInput, fmt::format("the preflight {} ended with {}{}{}", argv.front(),
                                                    exit->Describe(), line.empty() ? "" : ": ", line));
}

}  // namespace opbyop::harness
