// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop doctor [--target T]...: shows what each target needs on this machine, and the command that installs what is
// missing.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "harness/worker/readiness.h"
#include "harness/worker/scratch.h"
#include "manifests/targets/find_target.h"
#include "manifests/targets/target.h"
#include "support/files/project_folder.h"
#include "support/text/safe_text.h"
#include "support/text/shell_quote.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;
using harness::Readiness;

constexpr size_t kStateWidth = 13;     // "not installed"
constexpr size_t kVersionWidth = 100;  // for what runs; other states are not cut

// The command that installs what is missing; empty if none is known. `opbyop setup` knows the project's targets by
// name.
std::string InstallCommand(const Target& target, const std::string& name, const Readiness& readiness) {
  const bool lacks_packages = !readiness.lacking.empty();
  const bool lacks_python = readiness.state == Readiness::State::kNotInstalled && !target.requirements.empty();
  if (!lacks_packages && !lacks_python) return "";
  if (name == target.path.stem().string()) return SetupCommand() + " --target " + name;
  std::vector<std::string> commands;
  if (lacks_packages) commands.push_back(fmt::format("apt-get install {}", fmt::join(readiness.lacking, " ")));
  if (lacks_python) commands.push_back("python3 -m pip install -r " + ShellQuote(target.requirements));
  return fmt::format("{}", fmt::join(commands, " && "));
}

void PrintRow(size_t width, const std::string& name, const std::string& state, const std::string& text) {
  std::cout << fmt::format("{:<{}}  {:<{}}  {}\n", name, width, state, kStateWidth, text);
}

// The answer without the worker's own hint about how to install its packages, which is a separate line here.
std::string WithoutOffer(const std::string& answer) {
  const size_t offer = answer.find("setup --target ");
  const size_t end = offer == std::string::npos ? offer : answer.rfind(": ", offer);
  return answer.substr(0, end);
}

// `named`: the user asked for this target. For all others, a requirement that no command installs, such as a card, is
// not shown.
Expected<bool> Examine(const std::string& name, size_t width, bool named) {
  // The target file of a plugin that was given by its path is written there.
  const Expected<std::unique_ptr<harness::Scratch>> scratch = harness::Scratch::Open();
  if (!scratch) return Unexpected(scratch.error());
  const Expected<Target> target = FindTarget(name, (*scratch)->folders().front());
  if (!target) return Unexpected(target.error());
  const Readiness readiness = harness::CheckReadiness(*target);
  const bool executes = readiness.state == Readiness::State::kExecutes;
  const std::string command = InstallCommand(*target, name, readiness);
  std::string text = command.empty() ? readiness.answer : WithoutOffer(readiness.answer);
  if (executes && text.size() > kVersionWidth) text = SafeLine(text.substr(0, kVersionWidth), kVersionWidth) + " ...";
  PrintRow(width, name, harness::ToString(readiness.state), text);
  if (!readiness.lacking.empty()) {
    PrintRow(width, "", "", fmt::format("not installed: {}", fmt::join(readiness.lacking, ", ")));
  }
  if (const std::string note = DeclarationsNote(*target); !note.empty()) PrintRow(width, "", "", note);
  if (named && !executes && !target->install.empty()) PrintRow(width, "", "", "needs: " + target->install);
  if (!command.empty()) PrintRow(width, "", "", "install: " + command);
  std::cout.flush();
  return readiness.can_run();
}

// If targets are named, all of them must be able to run.
ExitCode Doctor(std::vector<std::string> names) {
  const bool named = !names.empty();
  if (!named) {
    const Expected<std::vector<fs::path>> all = TargetFiles();
    if (!all) return Report(all.error());
    for (const fs::path& file : *all) names.push_back(file.stem().string());
  }
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  ExitCode code = ExitCode::kOk;
  for (const std::string& name : names) {
    const Expected<bool> can_run = Examine(name, width, named);
    if (!can_run && named) return Report(can_run.error());
    if (!can_run) PrintRow(width, name, "broken", can_run.error().message);
    if (named && !*can_run) code = ExitCode::kNoInput;
  }
  if (!named) std::cout << "\n--target NAME says what else a target needs.\n";
  return code;
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "doctor", "Show what is installed for each target, and how to install the rest.",
                          "opbyop doctor --target xla");
  auto targets = std::make_shared<std::vector<std::string>>();
  app->add_option("--target", *targets,
                  "Name or file of a target, or pjrt:PATH of a plugin; may be repeated; default: all");
  return {app, [targets] { return Doctor(*targets); }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
