// opbyop report RUN... -o DIR

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "reports/comparison.h"
#include "reports/report_command.h"
#include "tools/commands.h"

namespace opbyop {

Command ReportCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "report", "Write OpTest JSON, JUnit, Markdown and HTML of a run; of several runs, a page that compares them.");
  struct Arguments {
    std::vector<std::filesystem::path> runs;
    std::filesystem::path out;
    std::filesystem::path baseline;
    int64_t job_id = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("RUN", arguments->runs, "Folders with results.jsonl")->required();
  app->add_option("-o,--output", arguments->out, "Folder for the reports")->required();
  app->add_option("--baseline", arguments->baseline,
                  "Known failures of the target: a file, or a folder of TARGET.yaml");
  CLI::Option* job = app->add_option("--job-id", arguments->job_id, "Number of the CI job, in the reports' names");
  return {app, [arguments, job] {
            std::optional<int64_t> job_id;
            if (job->count() > 0) job_id = arguments->job_id;
            const Expected<ReportFiles> reports =
                arguments->runs.size() == 1
                    ? WriteReports({arguments->runs.front(), arguments->out, job_id, arguments->baseline})
                    : WriteComparison({arguments->runs, arguments->out, arguments->baseline});
            if (!reports) return Report(reports.error());
            std::cout << reports->summary;
            for (const auto& file : reports->files) std::cout << file.string() << '\n';
            return reports->exit_code;
          }};
}

}  // namespace opbyop
