// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop report RUN... -o DIR

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "history/database/database.h"
#include "history/questions/runs_before.h"
#include "reports/command/report_command.h"
#include "reports/comparison/comparison.h"
#include "support/text/progress_line.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app =
      AddVerb(parent, "report",
              "Write OpTest JSON, JUnit, Markdown and HTML of a run; of several runs, a page that compares them.",
              "opbyop report out/nightly -o out/reports");
  struct Arguments {
    std::vector<std::filesystem::path> runs;
    std::filesystem::path out;
    std::filesystem::path baseline;
    std::filesystem::path manifest;
    int64_t job_id = 0;
    std::string min_pass;
    std::string fail_on;
    std::string history;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("RUN", arguments->runs, "Folders with results.jsonl, or with the shards of a run")->required();
  app->add_option("-o,--output", arguments->out, "Folder for the reports")->required();
  app->add_option("--baseline", arguments->baseline,
                  "Known failures of the target: a file, a folder of TARGET.yaml, or `none`");
  app->add_option("--manifest", arguments->manifest, "The manifest of the run, if it was moved; only with one RUN");
  app->add_option("--min-pass", arguments->min_pass,
                  "The run is red unless this many of its rows pass: a number, or a share such as 95%");
  app->add_option("--fail-on", arguments->fail_on,
                  "Further statuses that make the run red: unsupported,inconclusive,skipped");
  app->add_option("--history", arguments->history,
                  "A history of earlier runs, FILE or postgresql://...: the page shows them, and what is newly red");
  CLI::Option* job =
      app->add_option("--job-id", arguments->job_id, "Number of the CI job, for the names of the reports");
  return {app, [arguments, job] {
            std::optional<int64_t> job_id;
            if (job->count() > 0) job_id = arguments->job_id;
            const Expected<Demands> demands = ParseDemands(arguments->min_pass, arguments->fail_on);
            if (!demands) return Report(demands.error());
            if (!arguments->manifest.empty() && arguments->runs.size() > 1) {
              return Report({ExitCode::kUsage, "--manifest takes one RUN, and there are several"});
            }
            if (!arguments->history.empty() && arguments->runs.size() > 1) {
              return Report({ExitCode::kUsage, "--history takes one RUN, and there are several"});
            }
            std::unique_ptr<history::Database> database;
            if (!arguments->history.empty()) {
              auto opened = history::OpenDatabase(arguments->history, history::Access::kRead);
              if (!opened) return Report(opened.error());
              database = std::move(*opened);
            }
            if (arguments->baseline == "none") arguments->baseline.clear();
            ProgressLine line(stderr, ProgressLine::StyleOf(stderr));
            const auto progress = [&line](size_t rows, size_t of) {
              if (line.due()) line.Show(ShareText(rows, of) + " of the rows written");
            };
            std::function<Expected<reports::RunsBefore>(const reports::View&)> before;
            if (database) {
              before = [&](const reports::View& view) {
                return history::FindRunsBefore(*database, view, arguments->out);
              };
            }
            const Expected<reports::ReportFiles> reports =
                arguments->runs.size() == 1
                    ? reports::WriteReports({arguments->runs.front(), arguments->out, job_id, arguments->baseline,
                                             *demands, arguments->manifest, progress, before})
                    : reports::WriteComparison({.run_dirs = arguments->runs,
                                                .out_dir = arguments->out,
                                                .demands = *demands,
                                                .baseline = arguments->baseline});
            line.Clear();
            if (!reports) return Report(reports.error());
            std::cout << reports->summary;
            if (!reports->hidden.empty()) std::cerr << "opbyop: " << reports->hidden << '\n';
            for (const auto& file : reports->files) std::cout << file.string() << '\n';
            return reports->exit_code;
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
