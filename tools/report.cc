// opbyop report RUN -o DIR

#include <iostream>
#include <memory>

#include "reports/report_command.h"
#include "tools/commands.h"

namespace opbyop {

Command ReportCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("report", "Write OpTest JSON, JUnit, Markdown and HTML of a run.");
  struct Arguments {
    ReportOptions options;
    int64_t job_id = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("RUN", arguments->options.run_dir, "Folder with results.jsonl")->required();
  app->add_option("-o,--output", arguments->options.out_dir, "Folder for the reports")->required();
  app->add_option("--baseline", arguments->options.baseline, "Known failures of the target");
  CLI::Option* job = app->add_option("--job-id", arguments->job_id, "Number of the CI job, in the reports' names");
  return {app, [arguments, job] {
            if (job->count() > 0) arguments->options.job_id = arguments->job_id;
            const Expected<ReportFiles> reports = WriteReports(arguments->options);
            if (!reports) return Report(reports.error());
            std::cout << reports->summary;
            for (const auto& file : reports->files) std::cout << file.string() << '\n';
            return ExitCode::kOk;
          }};
}

}  // namespace opbyop
