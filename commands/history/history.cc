// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop history import RUN... | list | prune | page | durations | QUESTION; --db FILE|postgresql://...

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/history_option.h"
#include "commands/history_question.h"
#include "history/database/database.h"
#include "history/difference/difference_report.h"
#include "history/import/importer.h"
#include "history/import/retention.h"
#include "history/page/page.h"
#include "history/questions/durations.h"
#include "history/questions/questions.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/shard_files.h"
#include "reports/view/table.h"
#include "support/files/file.h"
#include "support/text/count_text.h"
#include "support/text/safe_text.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;

std::string Describe(const history::ImportReport& report) {
  if (report.outcome == history::ImportOutcome::kUnchanged) return fmt::format("{}: is there", report.run_id);
  std::string text = fmt::format("{}: {} {} of {}, {} since the previous run", report.run_id,
                                 report.outcome == history::ImportOutcome::kReplaced ? "replaced with" : "imported",
                                 CountText(report.rows, "row"), report.series, CountText(report.changes, "change"));
  if (report.up_to_machine > 0) text += "; " + history::UpToMachineText(report.up_to_machine);
  if (!report.lacking.empty()) {
    constexpr size_t kShown = 3;
    text +=
        fmt::format("; set aside, for it lacks {} of the run before ({}): --fewer-models continues the series without",
                    CountText(report.lacking.size(), "model"), SomeOf(report.lacking, kShown));
  }
  if (!report.complete) text += "; it did not end: rows without a result are missing";
  return text;
}

ExitCode Import(const std::string& where, const std::vector<fs::path>& runs, const history::ImportOptions& options) {
  const Expected<std::vector<fs::path>> ordered = InOrder(runs);
  if (!ordered) return Report(ordered.error());
  const auto db = history::OpenDatabase(where, history::Access::kWrite);
  if (!db) return Report(db.error());
  history::Importer importer(**db, options);
  bool changed = false;
  ExitCode code = ExitCode::kOk;
  const Expected<void> done = importer.ImportEach(*ordered, [&](const history::ImportReport& report) {
    changed = changed || report.outcome != history::ImportOutcome::kUnchanged;
    std::cout << Describe(report) << '\n' << std::flush;
    if (report.damage.empty()) return;
    code = Report({ExitCode::kPartial, report.damage + ": their cases are missing in the history; was the disk full?"});
  });
  if (!done) return Report(done.error());
  if (!changed) return code;
  const Expected<void> analyzed = (*db)->Analyze();
  return analyzed ? code : Report(analyzed.error());
}

ExitCode List(const std::string& where, const std::string& series) {
  const auto db = history::OpenDatabase(where, history::Access::kRead);
  if (!db) return Report(db.error());
  const auto runs = history::ListRuns(**db, series);
  if (!runs) return Report(runs.error());
  reports::Table table{{"run", "started", "series", "rows", "pass", "red", "kept", "", "toolchain"}, {}};
  constexpr std::array kKept = {"counts", "results", "all"};
  constexpr size_t kToMinutes = 16;
  for (const history::ListedRun& run : *runs) {
    table.body.push_back({run.run_id, run.started.substr(0, kToMinutes), run.series, Grouped(run.rows),
                          Grouped(run.passed), Grouped(run.red),
                          kKept.at(static_cast<size_t>(std::clamp<int64_t>(run.details, 0, 2))),
                          !run.complete ? "did not end"
                          : run.partial ? "chosen rows"
                                        : "",
                          Shorten(run.toolchain, 40)});
  }
  std::cout << reports::TableText(table);
  return runs->empty() ? ExitCode::kNothingToDo : ExitCode::kOk;
}

ExitCode Prune(const std::string& where, const history::Retention& retention) {
  // Someone who prunes a history that does not exist has probably misspelt its name.
  if (const auto there = history::OpenDatabase(where, history::Access::kRead); !there) return Report(there.error());
  const auto db = history::OpenDatabase(where, history::Access::kWrite);
  if (!db) return Report(db.error());
  const auto pruned = history::Prune(**db, retention);
  if (!pruned) return Report(pruned.error());
  std::cout << fmt::format("{} keep their counts alone, {} their results alone\n",
                           CountText(pruned->results, "more run"), CountText(pruned->details, "more run"));
  return ExitCode::kOk;
}

ExitCode Page(const std::string& where, const history::PageOptions& options) {
  const auto db = history::OpenDatabase(where, history::Access::kRead);
  if (!db) return Report(db.error());
  const auto made = history::WritePage(**db, options);
  if (!made) return Report(made.error());
  constexpr double kMiB = 1 << 20;
  std::cout << fmt::format("{}: {}, {} of the newest, {} ({} as recorded); {}, {:.1f} MiB\n", made->index.string(),
                           CountText(made->runs, "run"), CountText(made->rows, "row"), CountText(made->cases, "case"),
                           Grouped(made->recorded), CountText(made->files, "file"),
                           static_cast<double>(made->bytes) / kMiB);
  return ExitCode::kOk;
}

struct DurationsArguments {
  fs::path file;
  std::string target;
  std::string mode = "isolated";
};

ExitCode WriteDurations(const std::string& where, const DurationsArguments& arguments) {
  const auto db = history::OpenDatabase(where, history::Access::kRead);
  if (!db) return Report(db.error());
  const Expected<std::string> text = history::DurationsText(**db, arguments.target, arguments.mode);
  if (!text) return Report(text.error());
  const Expected<void> written = WriteFile(arguments.file, *text);
  return written ? ExitCode::kOk : Report(written.error());
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "history", "Keep the results of many runs in one database and query it.",
                          "opbyop history import out/nightly");
  app->require_subcommand(1);
  struct Arguments {
    std::string where = std::string(kDefaultHistory);
    std::vector<fs::path> runs;
    history::ImportOptions import;
    std::string series;
    int64_t keep = 0, keep_details = 0;
    history::PageOptions page{.out = "out/history"};
    DurationsArguments durations;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* import = app->add_subcommand("import", "Add runs. Runs that are already in the database stay as they are.");
  import->add_option("RUN", arguments->runs, "Folders with results.jsonl, or such files")->required();
  import->add_option("--baseline", arguments->import.baseline,
                     "Known failures of the target: a file, or a folder of TARGET.yaml");
  import->add_flag("--fewer-models", arguments->import.fewer_models,
                   "Accept a run that lacks models of the run before it: they were removed");
  CLI::App* list = app->add_subcommand("list", "List the runs, newest first.");
  list->add_option("--series", arguments->series, "Only this series: \"host\", \"host whole\"");
  CLI::App* prune = app->add_subcommand("prune", "Remove old results. Counts and changes of every run stay.");
  CLI::Option* keep =
      prune->add_option("--keep", arguments->keep, "How many of the newest runs of each series keep their results")
          ->check(CLI::PositiveNumber);
  CLI::Option* details =
      prune
          ->add_option("--keep-details", arguments->keep_details,
                       "How many of the newest runs of each series keep stages, comparisons and timings")
          ->check(CLI::PositiveNumber);
  CLI::App* page = app->add_subcommand("page", "Write a page with the answers to all questions; it needs no server.");
  page->add_option("-o,--output", arguments->page.out, "Folder of index.html and its data")->capture_default_str();
  page->add_option("--series", arguments->page.series, "Only this series: \"host\", \"host whole\"");
  page->add_option("--runs", arguments->page.runs, "How many of the newest runs of each series a case shows")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  page->add_option("--kept", arguments->page.kept,
                   "Folder that --keep named in the runs; default: kept in the run's folder");
  CLI::App* durations = app->add_subcommand(
      "durations", "Write how long each case of a target took: the file by which a run balances its shards.");
  durations->add_option("-o,--output", arguments->durations.file, "File for the durations")->required();
  durations->add_option("--target", arguments->durations.target, "Name of the target, as in its results")->required();
  durations->add_option("--mode", arguments->durations.mode, "Mode of the runs: isolated or whole")
      ->capture_default_str();
  for (CLI::App* verb : {import, list, prune, page, durations}) AddHistoryOption(*verb, arguments->where);
  std::vector<Command> questions;
  for (const history::Question& question : history::Questions()) {
    questions.push_back(QuestionCommandLine(*app, question));
  }
  return {app, [=] {
            for (const Command& question : questions) {
              if (question.app->parsed()) return question.run();
            }
            if (*import) return Import(arguments->where, arguments->runs, arguments->import);
            if (*list) return List(arguments->where, arguments->series);
            if (*page) return Page(arguments->where, arguments->page);
            if (*durations) return WriteDurations(arguments->where, arguments->durations);
            history::Retention retention;
            if (keep->count() > 0) retention.keep = arguments->keep;
            if (details->count() > 0) retention.keep_details = arguments->keep_details;
            if (!retention.keep && !retention.keep_details) {
              return Report({ExitCode::kUsage, "prune: name what to keep: --keep N or --keep-details N"});
            }
            return Prune(arguments->where, retention);
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
