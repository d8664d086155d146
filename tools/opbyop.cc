// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop: splits models, runs their ops, reports. `opbyop --help` lists the verbs.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "support/project_folder.h"
#include "support/start_program.h"
#include "tools/commands.h"

namespace opbyop::tools {

ExitCode Report(const Error& error) {
  std::cerr << "opbyop: " << error.message << '\n';
  return error.code;
}

ExitCode ExecuteSibling(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string path = (ProgramFolder() / program).string();
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::cout.flush();
  execv(path.c_str(), argv.data());
  return Report({ExitCode::kNoInput, fmt::format("{}: cannot be started: {}: is it built?", path, strerror(errno))});
}

ExitCode ExecutePython(const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"python3", (ProjectFolder() / file).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  // Compiled modules would lie beside the scripts, which are read-only for all but root, and would outlive them there.
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  execvp(argv.front(), argv.data());
  return Report({ExitCode::kNoInput, fmt::format("python3 cannot be started: {}: is it installed?", strerror(errno))});
}

namespace {

int Main(int argc, char** argv) {
  CLI::App app("Op-by-op conformance for StableHLO compilers.", "opbyop");
  const std::vector<Command> commands = {SplitCommandLine(app),
                                         SuiteCommandLine(app),
                                         InReadingChild(CaptureCommandLine(app)),
                                         RunCommandLine(app),
                                         MergeCommandLine(app),
                                         ReportCommandLine(app),
                                         ReproCommandLine(app),
                                         InReadingChild(ReduceCommandLine(app)),
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
}  // namespace opbyop::tools

int main(int argc, char** argv) {
  if (const opbyop::Expected<void> started = opbyop::StartProgram(); !started) {
    return static_cast<int>(opbyop::tools::Report(started.error()));
  }
  return opbyop::tools::Main(argc, argv);
}
