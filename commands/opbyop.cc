// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop: splits models, runs their ops, reports. `opbyop --help` lists the verbs.

#include <vector>

#include "commands/execute.h"
#include "commands/verbs.h"
#include "support/start_program.h"

namespace opbyop::commands {
namespace {

int Main(int argc, char** argv) {
  CLI::App app("Op-by-op conformance for StableHLO compilers.", "opbyop");
  const std::vector<Command> commands = {SplitCommandLine(app),
                                         SuiteCommandLine(app),
                                         InReadingChild(CaptureCommandLine(app)),
                                         InReadingChild(KeepAttributesCommandLine(app)),
                                         RunCommandLine(app),
                                         MergeCommandLine(app),
                                         ReportCommandLine(app),
                                         ReproCommandLine(app),
                                         InReadingChild(ReduceCommandLine(app)),
                                         InReadingChild(LocateCommandLine(app)),
                                         BundleCommandLine(app),
                                         BisectCommandLine(app),
                                         InReadingChild(ProfileCommandLine(app)),
                                         InReadingChild(EvalCommandLine(app)),
                                         InReadingChild(TraceNanCommandLine(app)),
                                         BaselineCommandLine(app),
                                         DoctorCommandLine(app),
                                         SetupCommandLine(app),
                                         InReadingChild(ExhaustCommandLine(app)),
                                         DiffCommandLine(app),
                                         HistoryCommandLine(app),
                                         RankCommandLine(app),
                                         RedactCommandLine(app)};
  return RunVerb(app, commands, argc, argv);
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) {
  if (const opbyop::Expected<void> started = opbyop::StartProgram(); !started) {
    return static_cast<int>(opbyop::commands::Report(started.error()));
  }
  return opbyop::commands::Main(argc, argv);
}
