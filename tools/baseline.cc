// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop baseline update RUN --baseline FILE --floor

#include "manifests/baseline.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "reports/report_command.h"
#include "support/counted.h"
#include "support/file.h"
#include "tools/commands.h"

namespace opbyop::tools {
namespace {

constexpr std::string_view kFloorKey = "floor:";

// The text without its floor: from its line to the next one that begins another key.
std::string WithoutFloor(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool continues = line.empty() || line[0] == ' ' || line[0] == '-' || line[0] == '#';
    inside = line.starts_with(kFloorKey) || (inside && continues);
    if (!inside) kept += line + "\n";
  }
  return kept;
}

// Replaces the floor of the baseline by the rows that pass in the run; all else stays as it is written there.
Expected<void> UpdateFloor(const std::filesystem::path& run, const std::filesystem::path& file) {
  const Expected<std::unique_ptr<reports::LoadedRun>> loaded = reports::LoadRunWithManifest(run);
  if (!loaded) return Unexpected(loaded.error());
  const std::string& target = (*loaded)->run.header.target;
  std::string text = fmt::format("schema: {}\ntarget: {}\n", kBaselineSchema, target);
  std::set<std::string> before;
  if (std::filesystem::exists(file)) {
    const Expected<Baseline> old = LoadBaseline(file);
    if (!old) return Unexpected(old.error());
    if (old->target != target) {
      return MakeError(ExitCode::kUsage, fmt::format("{} is the baseline of {}, the run in {} is of {}", file.string(),
                                                     old->target, run.string(), target));
    }
    before.insert(old->floor_rows.begin(), old->floor_rows.end());
    const Expected<std::string> written = ReadFile(file);
    if (!written) return Unexpected(written.error());
    text = WithoutFloor(*written);
  }
  text += std::string(kFloorKey) + "\n";
  int64_t rows = 0;
  for (const reports::RowResult& row : (*loaded)->view.rows) {
    if (row.status != Status::kPass) continue;
    text += fmt::format("  - \"{}\"\n", row.name);
    before.erase(row.name);
    ++rows;
  }
  if (rows == 0)
    return MakeError(ExitCode::kNothingToDo, "no row of " + run.string() + " passes: the floor would be empty");
  if (const Expected<void> done = WriteFile(file, text); !done) return done;
  std::cout << fmt::format("{}: {} must pass from now on", file.string(), Counted(rows, "row"));
  if (!before.empty()) std::cout << fmt::format(", {} no longer, the first {}", before.size(), *before.begin());
  std::cout << '\n';
  return {};
}

}  // namespace

Command BaselineCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("baseline", "Write what a run of a target is held to.");
  struct Arguments {
    std::string verb;
    std::filesystem::path run;
    std::filesystem::path file;
    bool floor = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("VERB", arguments->verb, "update")->required()->check(CLI::IsMember({"update"}));
  app->add_option("RUN", arguments->run, "Folder with results.jsonl")->required();
  app->add_option("--baseline", arguments->file, "The baseline's file; made where it does not exist")->required();
  app->add_flag("--floor", arguments->floor, "The rows that pass in the run must pass from now on")->required();
  return {app, [arguments] {
            const Expected<void> done = UpdateFloor(arguments->run, arguments->file);
            return done ? ExitCode::kOk : Report(done.error());
          }};
}

}  // namespace opbyop::tools
