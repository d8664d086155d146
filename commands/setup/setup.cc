// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop setup --target T...: installs the Python packages that a target needs, into an environment of its own.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "harness/worker/readiness.h"
#include "harness/worker/scratch.h"
#include "manifests/targets/find_target.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;

// Runs a command with its output on the terminal. Returns an error unless it ended with 0.
Expected<void> RunOnTerminal(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ); error != 0) {
    return MakeError(ExitCode::kNoInput, fmt::format("{} cannot be started: {}", argv[0], strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return MakeError(ExitCode::kNoInput, fmt::format("`{}` failed, see above", fmt::join(argv, " ")));
}

// Returns tpu for requirements-tpu.txt, and iree for iree/requirements.txt; device/python/venv_of.sh does it for ./dev.
std::string VenvName(const fs::path& requirements) {
  const std::string stem = requirements.stem().string();
  constexpr std::string_view kPrefix = "requirements-";
  return stem.starts_with(kPrefix) ? stem.substr(kPrefix.size()) : requirements.parent_path().filename().string();
}

Expected<void> SetUp(const std::string& name) {
  const Expected<std::unique_ptr<harness::Scratch>> scratch = harness::Scratch::Open();
  if (!scratch) return Unexpected(scratch.error());
  const Expected<Target> target = FindTarget(name, (*scratch)->folders().front());
  if (!target) return Unexpected(target.error());
  if (!target->requirements.empty()) {
    const fs::path requirements = ProjectFolder() / target->requirements;
    const fs::path venv = VenvsFolder() / (".venv-" + VenvName(requirements));
    std::cout << fmt::format("{}: {} into {}", name, target->requirements, venv.string()) << std::endl;
    const std::string script = (ProjectFolder() / "device/python/make_venv.sh").string();
    if (const auto made = RunOnTerminal({"sh", script, venv.string(), requirements.string()}); !made) return made;
  }
  const std::vector<std::string> lacking = harness::LackingPackages(target->packages);
  if (!lacking.empty()) {
    return MakeError(ExitCode::kNoInput, fmt::format("target {} also needs Debian packages, which root installs: "
                                                     "apt-get install {}",
                                                     name, fmt::join(lacking, " ")));
  }
  std::cout << name << ": nothing is missing that can be installed from here";
  if (!target->install.empty()) std::cout << "; it also needs " << target->install;
  std::cout << std::endl;
  return {};
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app =
      AddVerb(parent, "setup", "Install the Python packages that targets need.", "opbyop setup --target iree");
  auto targets = std::make_shared<std::vector<std::string>>();
  app->add_option("--target", *targets, "Name or file of a target; may be repeated")->required();
  return {app, [targets] {
            for (const std::string& name : *targets) {
              if (const Expected<void> done = SetUp(name); !done) return Report(done.error());
            }
            return ExitCode::kOk;
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
