// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces `{input}`, `{output}` and the other placeholders in the argv of a command stage.
//
//   Placeholders values = {.input = "/tmp/c/ttir.mlir", .output = "/tmp/c/ttnn.mlir", .dir = "/tmp/c"};
//   std::string argument = Expand("--out={output}", values);
//
// | placeholder     | replaced by                                                                  |
// |-----------------|------------------------------------------------------------------------------|
// | {input}         | the file that the stage before wrote; for the first stage the case's file    |
// | {output}        | the file that this stage must write, its `produces` in {dir}                 |
// | {dir}           | the case's folder, with input_<i>.npy; output_<i>.npy must be written there  |
// | {case}          | the case's id                                                                |
// | {bin}           | the folder of opbyop's programs                                              |
// | {root}          | the project's folder                                                         |
// | {target_dir}    | the folder of the target's YAML file                                         |
// | {env:NAME}      | an environment variable; if it is not set, the target is unavailable         |
// | {env_file:NAME} | an environment variable that names a file, which must exist                  |
//
// Any other text in braces is left as it is: `{opt=1}` belongs to a pass pipeline.
#ifndef OPBYOP_DEVICE_COMMAND_PLACEHOLDERS_H_
#define OPBYOP_DEVICE_COMMAND_PLACEHOLDERS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/files/project_folder.h"

namespace opbyop::command {

struct Placeholders {
  std::string input;
  std::string output;
  std::string dir;
  std::string case_id;
  std::string target_dir;
  std::string bin = ProgramFolder().string();
  std::string root = ProjectFolder().string();
};

std::string Expand(std::string_view argument, const Placeholders& values);
std::vector<std::string> Expand(const std::vector<std::string>& argv, const Placeholders& values);

// The first {env:NAME} or {env_file:NAME} in `argument` that cannot be replaced, as a sentence without its full stop:
// "the environment variable NAME is not set". Returns nullopt if all can be replaced.
std::optional<std::string> MissingVariable(std::string_view argument);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_PLACEHOLDERS_H_
