// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/history_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "commands/execute.h"
#include "commands/history_option.h"
#include "history/database/database.h"
#include "history/import/importer.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/shard_files.h"
#include "reports/view/table.h"
#include "support/text/count_text.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;

struct QuestionArguments {
  std::string where = std::string(kDefaultHistory);
  std::vector<fs::path> runs;  // given instead of a history
  fs::path baseline;
  history::Scope scope;
  bool markdown = false, csv = false;
};

// The history for a question: the stored one, or one in memory of the given runs.
Expected<std::unique_ptr<history::Database>> HistoryOf(const QuestionArguments& arguments) {
  if (arguments.runs.empty()) return history::OpenDatabase(arguments.where, history::Access::kRead);
  const Expected<std::vector<fs::path>> ordered = InOrder(arguments.runs);
  if (!ordered) return Unexpected(ordered.error());
  auto db = history::OpenDatabase(std::string(history::kInMemory), history::Access::kWrite);
  if (!db) return db;
  history::Importer importer(**db, {.baseline = arguments.baseline, .difference = {}});
  const Expected<void> done = importer.ImportEach(*ordered, [](const history::ImportReport&) {});
  if (!done) return Unexpected(done.error());
  return db;
}

ExitCode AskFor(const history::Question& question, const QuestionArguments& arguments) {
  const auto db = HistoryOf(arguments);
  if (!db) return Report(db.error());
  const auto answer = history::Ask(**db, question, arguments.scope);
  if (!answer) return Report(answer.error());
  if (arguments.csv) {
    std::cout << history::TableCsv(answer->table);
    return ExitCode::kOk;
  }
  if (answer->table.body.empty()) {
    std::cout << question.empty << '\n';
    return ExitCode::kOk;
  }
  std::cout << (arguments.markdown ? reports::TableMarkdown(answer->table) : reports::TableText(answer->table));
  if (answer->left_out > 0) std::cout << fmt::format("\n{} more: --most 0 shows all\n", Grouped(answer->left_out));
  return ExitCode::kOk;
}

}  // namespace

Expected<std::vector<fs::path>> InOrder(const std::vector<fs::path>& runs) {
  std::vector<std::pair<std::string, fs::path>> started;
  for (const fs::path& run : runs) {
    fs::path results = fs::is_directory(run) ? run / "results.jsonl" : run;
    const std::vector<ShardFile> shards = fs::exists(results) ? std::vector<ShardFile>() : FindShardFiles(run);
    if (!shards.empty()) results = shards.front().path;
    const Expected<RunHeader> header = LoadRunHeader(results);
    if (!header) return Unexpected(header.error());
    started.emplace_back(header->start, run);
  }
  std::ranges::sort(started);
  std::vector<fs::path> ordered;
  ordered.reserve(started.size());
  for (auto& [start, run] : started) ordered.push_back(std::move(run));
  return ordered;
}

Command QuestionCommandLine(CLI::App& parent, const history::Question& question) {
  CLI::App* app = AddVerb(parent, std::string(question.verb), std::string(question.help),
                          fmt::format("{} {}", FullName(parent), question.verb));
  auto arguments = std::make_shared<QuestionArguments>();
  app->add_option(std::string(question.named), arguments->scope.name, "Only entries that match this glob");
  app->add_option("--series", arguments->scope.series, "Only this series: \"host\", \"host whole\"");
  app->add_option("--most", arguments->scope.most, "The most lines; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI::Option* markdown = app->add_flag("--markdown", arguments->markdown, "Print a table in Markdown");
  app->add_flag("--csv", arguments->csv, "Print comma-separated values")->excludes(markdown);
  AddHistoryOption(*app, arguments->where);
  CLI::Option* runs = app->add_option("--run", arguments->runs,
                                      "Folder of a run to query instead of the history; several runs are compared")
                          ->allow_extra_args(false);
  app->add_option("--baseline", arguments->baseline, "Known failures, for --run: a file, or a folder of TARGET.yaml")
      ->needs(runs);
  return {app, [&question, arguments] { return AskFor(question, *arguments); }};
}

}  // namespace opbyop::commands
