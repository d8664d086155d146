// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop baseline update RUN --baseline FILE [--floor]

#include "manifests/baselines/baseline.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "commands/command.h"
#include "commands/execute.h"
#include "reports/command/report_command.h"
#include "reports/summary/baseline_update.h"
#include "support/files/file.h"
#include "support/text/count_text.h"

namespace opbyop::commands {
namespace {

constexpr std::string_view kFloorKey = "floor:";

// The text without its floor, which extends to the next line that starts another key.
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

struct Written {
  std::string text;
  Baseline baseline;
};

// The existing baseline, or the beginning of a new one.
Expected<Written> Begin(const reports::LoadedRun& loaded, const std::filesystem::path& run,
                        const std::filesystem::path& file) {
  const std::string& target = loaded.run.header.target;
  Written written = {fmt::format("schema: {}\ntarget: {}\n", kBaselineSchema, target), {}};
  if (!std::filesystem::exists(file)) return written;
  Expected<Baseline> old = LoadBaseline(file);
  if (!old) return Unexpected(old.error());
  if (old->target != target) {
    return MakeError(ExitCode::kUsage, fmt::format("{} is the baseline of {}, the run in {} is of {}", file.string(),
                                                   old->target, run.string(), target));
  }
  if (old->path != file) {
    return MakeError(ExitCode::kUsage, fmt::format("{} has no entries of its own, but those of {}: update that file",
                                                   file.string(), old->path.string()));
  }
  Expected<std::string> text = ReadFile(file);
  if (!text) return Unexpected(text.error());
  return Written{std::move(*text), std::move(*old)};
}

// Replaces the floor of the baseline by the rows that pass in the run; everything else stays as it is written.
Expected<void> UpdateFloor(const std::filesystem::path& run, const std::filesystem::path& file) {
  const Expected<std::unique_ptr<reports::LoadedRun>> loaded = reports::LoadRunWithManifest(run);
  if (!loaded) return Unexpected(loaded.error());
  const Expected<Written> old = Begin(**loaded, run, file);
  if (!old) return Unexpected(old.error());
  std::set<std::string> before(old->baseline.floor_rows.begin(), old->baseline.floor_rows.end());
  std::string text = WithoutFloor(old->text) + std::string(kFloorKey) + "\n";
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
  std::cout << fmt::format("{}: {} must pass from now on", file.string(), CountText(rows, "row"));
  if (!before.empty()) std::cout << fmt::format(", {} no longer, the first {}", before.size(), *before.begin());
  std::cout << '\n';
  return {};
}

// Writes entries for the failures of the run, and removes entries that the run contradicts.
Expected<void> UpdateEntries(const std::filesystem::path& run, const std::filesystem::path& file) {
  const Expected<std::unique_ptr<reports::LoadedRun>> loaded = reports::LoadRunWithManifest(run);
  if (!loaded) return Unexpected(loaded.error());
  const Expected<Written> old = Begin(**loaded, run, file);
  if (!old) return Unexpected(old.error());
  const Expected<reports::BaselineUpdate> update = reports::UpdateEntries((*loaded)->view, file, old->text);
  if (!update) return Unexpected(update.error());
  if (const Expected<void> done = WriteFile(file, update->text); !done) return done;
  std::cout << fmt::format("{}: entries: {} added for {}, {} narrowed, {} removed, {} as they were\n", file.string(),
                           update->added, CountText(update->rows, "row"), update->narrowed, update->removed,
                           update->kept);
  if (update->added > 0) std::cout << "their reasons are the diagnostics: read them before you commit the file\n";
  if (const auto& red = update->still_red; !red.empty()) {
    std::cout << fmt::format("still red, for no entry can expect it (flaky, missing): {}, the first {}\n",
                             CountText(red.size(), "row"), red.front());
  }
  return {};
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app =
      AddVerb(parent, "baseline", "Write the baseline of a target: its known failures, and the rows that must pass.",
              "opbyop baseline update out/nightly --baseline known.yaml");
  struct Arguments {
    std::string verb;
    std::filesystem::path run;
    std::filesystem::path file;
    bool floor = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("VERB", arguments->verb, "update")->required()->check(CLI::IsMember({"update"}));
  app->add_option("RUN", arguments->run, "Folder with results.jsonl")->required();
  app->add_option("--baseline", arguments->file, "The baseline's file; written if it does not exist")->required();
  app->add_flag("--floor", arguments->floor,
                "Only write the floor: the rows that pass in the run must pass from now on");
  return {app, [arguments] {
            const Expected<void> done = arguments->floor ? UpdateFloor(arguments->run, arguments->file)
                                                         : UpdateEntries(arguments->run, arguments->file);
            return done ? ExitCode::kOk : Report(done.error());
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
