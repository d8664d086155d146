// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sample_report DIR [CASES] [--cut]: writes a made-up run and all its reports, to look at and to test the page with.
// sample_report DIR --every-status: writes only junit.xml, of a run with a row of every status.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "reports/command/report_command.h"
#include "reports/ingestion/junit.h"
#include "reports/view/example_run.h"
#include "reports/view/sample_run.h"
#include "support/files/file.h"

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  opbyop::reports::SampleOptions options;
  if (!arguments.empty() && arguments.back() == "--cut") {
    options.complete = false;
    arguments.pop_back();
  }
  if (arguments.size() == 2 && arguments.back() == "--every-status") {
    const opbyop::reports::ExampleRun example = opbyop::reports::EveryStatus();
    const std::string text = ReportText(opbyop::reports::JunitReport(), example.MakeView());
    return opbyop::WriteFile(arguments.front() + "/junit.xml", text) ? 0 : 1;
  }
  if (arguments.empty() || arguments.size() > 2 || arguments.front().starts_with("-")) {
    fmt::print(stderr, "usage: sample_report DIR [CASES] [--cut] | DIR --every-status\n");
    return static_cast<int>(opbyop::ExitCode::kUsage);
  }
  if (arguments.size() == 2) options.cases = std::strtoull(arguments[1].c_str(), nullptr, 10);
  opbyop::reports::SampleRun sample = opbyop::reports::MakeSampleRun(options);
  if (const auto written = opbyop::reports::WriteSampleRun(sample, arguments[0]); !written) {
    fmt::print(stderr, "{}\n", written.error().message);
    return static_cast<int>(written.error().code);
  }
  const auto reports = opbyop::reports::WriteReports({.run = arguments[0], .out_dir = arguments[0], .job_id = 1001});
  if (!reports) {
    fmt::print(stderr, "{}\n", reports.error().message);
    return static_cast<int>(reports.error().code);
  }
  fmt::print("{}", reports->summary);
  return 0;
}
