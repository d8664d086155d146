// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One stage that is a program of its own: started, waited for, judged by its exit, its words and its file.
//
//   StageFiles files = {.case_id = id, .input = case_file, .output = dir / "ttir.mlir", .dir = dir};
//   StageResult result = RunCommandStage(stage, files, context);
//
// The program runs in a process group of its own, in the case's folder, with standard input empty. What it
// leaves running ends with it. Its stage's timeout and memory limit are the parent's business, as for any worker;
// the disk limit is kept here. Whatever it printed goes to this process's standard error.
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
  std::filesystem::path output = {};  // empty: the stage leaves no file of its own
  std::filesystem::path dir;
  std::filesystem::path target_dir = {};
  std::filesystem::path file = {};      // the program that was compiled
  std::string file_name = {};           // what diagnostics call it
  std::filesystem::path log_file = {};  // where all that a command prints is kept; empty: nowhere
};

// | what happened                                       | status                  |
// |-----------------------------------------------------|-------------------------|
// | exit code in `exit_codes`                           | what they say           |
// | a line of its output matches `unsupported`, code > 0 | unsupported             |
// | another exit code above 0                           | fail, the quoted line   |
// | a signal                                            | crash, with its cause   |
// | a file, or all of them, beyond `disk_mb`            | fail                    |
// | exit code 0, the file missing or empty              | fail, what it wrote     |
// | exit code 0, the file matches `inconclusive`          | inconclusive, the reason  |
device::StageResult RunCommandStage(const Stage& stage, const StageFiles& files);

// The file that a compile stage leaves: its `produces`, or <stage>.out.
std::filesystem::path OutputOf(const Stage& stage, const std::filesystem::path& dir);

// Judges what a stage, of whatever kind, left as its file: `inconclusive`, or missing.
device::StageResult JudgeOutput(const Stage& stage, const StageFiles& files);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_COMMAND_STAGE_H_
