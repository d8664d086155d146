// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/compile_message.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "support/process/log_tail.h"
#include "support/text/pattern.h"

namespace opbyop::pjrt {
namespace {

constexpr std::string_view kParseStage = "parse";

bool Matches(const std::string& message, const std::vector<std::string>& patterns) {
  const std::vector<std::string_view> lines = SplitLines(message);
  return std::ranges::any_of(patterns, [&](const std::string& text) {
    const Expected<Pattern> pattern = Pattern::Compile(text);
    return pattern && std::ranges::any_of(lines, [&](std::string_view line) { return pattern->IsFoundIn(line); });
  });
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// The line of an exception's text that says why: the first after `info:`, or else the first line of all.
std::string LineThatSaysWhy(const std::string& message) {
  std::vector<std::string_view> lines = SplitLines(message);
  std::erase_if(lines, IsBlank);
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i].ends_with("info:")) return std::string(lines[i + 1].substr(lines[i + 1].find_first_not_of(" \t")));
  }
  return lines.empty() ? "" : std::string(lines.front());
}

}  // namespace

std::vector<const Stage*> PluginStages(const Target& target) {
  std::vector<const Stage*> stages;
  for (const Stage& stage : target.stages) {
    if (stage.is_compile_stage() && stage.name != kParseStage) stages.push_back(&stage);
  }
  static const Stage kWhole = {.name = "compile"};
  return stages.empty() ? std::vector<const Stage*>{&kWhole} : stages;
}

CompileEnd ReadCompileError(const CallError& error, const std::vector<const Stage*>& stages,
                            const command::LogPaths& paths) {
  CompileEnd end;
  // The last stage that the message names: a later one quotes what an earlier one did.
  for (size_t i = 0; i < stages.size(); ++i) {
    if (Matches(error.message, stages[i]->stage_of)) end.stage = i;
  }
  const Stage& stage = *stages[end.stage];
  if (const auto reason = command::FindMeaning(error.message, stage.unsupported)) {
    end.error = {ExitCode::kUnsupported, command::WithoutPaths(*reason, paths)};
    return end;
  }
  CallError line = error;
  line.message = Matches(error.message, stage.diagnostic)
                     ? command::QuoteDiagnostic(error.message, stage.diagnostic, paths)
                     : command::WithoutPaths(LineThatSaysWhy(error.message), paths);
  end.error = ToError(line);
  // Words about a custom call without a handler may be on another line.
  if (error.unsupported()) end.error.code = ExitCode::kUnsupported;
  return end;
}

}  // namespace opbyop::pjrt
