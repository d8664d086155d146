// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs one stage that is a program of its own, and judges it by its exit, its output and the file that it writes.
//
//   StageFiles files = {.case_id = id, .input = case_file, .output = dir / "ttir.mlir", .dir = dir};
//   StageResult result = RunCommandStage(stage, files, context);
//
// The program runs in a process group of its own, in the case's folder, with empty standard input. Processes that it
// leaves running are ended with it. The disk limit is kept here; the parent keeps the stage's timeout and memory limit,
// as for any worker. Whatever the program prints goes to this process's standard error.
#ifndef OPBYOP_DEVICE_COMMAND_COMMAND_STAGE_H_
#define OPBYOP_DEVICE_COMMAND_COMMAND_STAGE_H_

#include <filesystem>
#include <string>

#include "device/target_compiler.h"
#include "manifests/targets/target.h"

namespace opbyop::command {

struct StageFiles {
  std::string case_id;
  std::filesystem::path input = {};
  std::filesystem::path output = {};  // empty: the stage writes no file of its own
  std::filesystem::path dir;
  std::filesystem::path target_dir = {};
  std::filesystem::path file = {};      // the program that was compiled
  std::string file_name = {};           // the program's name in diagnostics
  std::filesystem::path log_file = {};  // keeps all that a command prints; empty: nothing is kept
};

// | what happened                                        | status                        |
// |------------------------------------------------------|-------------------------------|
// | the exit code is in `exit_codes`                     | as `exit_codes` says          |
// | a printed line matches `unsupported`, exit code > 0  | unsupported                   |
// | another exit code above 0                            | fail, with the quoted line    |
// | a signal                                             | crash, with its cause         |
// | a file, or all files together, larger than `disk_mb` | fail                          |
// | exit code 0, the file is missing or empty            | fail, with what was printed   |
// | exit code 0, the file matches `inconclusive`         | inconclusive, with the reason |
device::StageResult RunCommandStage(const Stage& stage, const StageFiles& files);

// The file that a compile stage writes: its `produces`, or <stage>.out.
std::filesystem::path OutputOf(const Stage& stage, const std::filesystem::path& dir);

// Judges the file that a stage of any kind wrote: `inconclusive` if it matches, a failure if it is missing.
device::StageResult JudgeOutput(const Stage& stage, const StageFiles& files);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_COMMAND_STAGE_H_
