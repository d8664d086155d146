// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop diff A B

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/history_option.h"
#include "history/database/database.h"
#include "history/difference/compared_runs.h"
#include "history/difference/difference.h"
#include "history/difference/difference_report.h"
#include "reports/command/report_command.h"

namespace opbyop::commands {
namespace {

struct DiffArguments {
  std::string before, after;
  std::string where = std::string(kDefaultHistory);
  std::filesystem::path baseline;
  bool markdown = false;
  history::DifferenceOptions options;
};

bool IsFolder(const std::string& name) { return std::filesystem::exists(name); }

Expected<history::Snapshot> OfFolder(const std::string& name, const DiffArguments& arguments) {
  const auto loaded = reports::LoadRunWithManifest(name, {.baseline = arguments.baseline});
  if (!loaded) return Unexpected(loaded.error());
  history::Snapshot snapshot = history::SnapshotOf((*loaded)->view);
  if (*(*loaded)->view.lost) return Unexpected(**(*loaded)->view.lost);
  return snapshot;
}

// Opens the history; `name` is the run that is looked for in it.
Expected<std::unique_ptr<history::Database>> Open(const std::string& name, const DiffArguments& arguments) {
  auto opened = history::OpenDatabase(arguments.where, history::Access::kRead);
  if (opened) return opened;
  Error error = opened.error();
  error.message = name + ": no such folder, and not in a history: " + error.message;
  return Unexpected(std::move(error));
}

// Loads a folder or results file of that name if there is one, or else a run of the history.
Expected<history::Snapshot> Load(const std::string& name, history::Database* db, const DiffArguments& arguments) {
  return IsFolder(name) ? OfFolder(name, arguments) : history::LoadSnapshot(*db, name);
}

Expected<history::ComparedRuns> CompareWithFolder(history::Database* db, const DiffArguments& arguments) {
  Expected<history::Snapshot> before = Load(arguments.before, db, arguments);
  if (!before) return Unexpected(before.error());
  Expected<history::Snapshot> after = Load(arguments.after, db, arguments);
  if (!after) return Unexpected(after.error());
  return history::CompareRuns({std::move(*before), std::move(*after)}, arguments.options, db);
}

Expected<history::ComparedRuns> Compare(const DiffArguments& arguments) {
  const bool is_folder[] = {IsFolder(arguments.before), IsFolder(arguments.after)};
  if (is_folder[0] && is_folder[1]) return CompareWithFolder(nullptr, arguments);
  const auto db = Open(is_folder[0] ? arguments.after : arguments.before, arguments);
  if (!db) return Unexpected(db.error());
  if (is_folder[0] || is_folder[1]) return CompareWithFolder(db->get(), arguments);
  const auto beside = Open(arguments.after, arguments);
  if (!beside) return Unexpected(beside.error());
  return history::CompareStored({.db = **db, .beside = **beside}, arguments.before, arguments.after, arguments.options);
}

ExitCode Diff(const DiffArguments& arguments) {
  const auto compared = Compare(arguments);
  if (!compared) return Report(compared.error());
  const history::Difference& difference = compared->difference;
  std::cout << (arguments.markdown ? history::DifferenceMarkdown(difference) : history::DifferenceText(difference));
  return difference.regressed() ? ExitCode::kUnexpectedResult : ExitCode::kOk;
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "diff",
                          "Show what is different in run B: rows that broke, times beyond noise, errors. Exits with "
                          "1 if something is worse.",
                          "opbyop diff out/last-night out/nightly --markdown");
  auto arguments = std::make_shared<DiffArguments>();
  app->add_option("A", arguments->before, "Folder with results.jsonl, or the id of a run in the history")->required();
  app->add_option("B", arguments->after, "The run to compare with A: a folder or id, too")->required();
  AddHistoryOption(*app, arguments->where);
  app->add_option("--baseline", arguments->baseline, "Known failures, for folders: a file, or a folder of TARGET.yaml");
  app->add_flag("--markdown", arguments->markdown, "A comment for a pull request, less than 30 lines");
  app->add_option("--confidence", arguments->options.time.confidence,
                  "Confidence that no case is called slower or faster by mistake")
      ->check(CLI::Range(0.5, 0.999999))
      ->capture_default_str();
  app->add_option("--slower", arguments->options.time.least_change,
                  "Smallest change of a time that counts, as a share of it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--worse", arguments->options.worse, "Smallest growth of the worst error that counts, as a factor")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  return {app, [arguments] { return Diff(*arguments); }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
