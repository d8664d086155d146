// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program as a folder that every command takes: a manifest with its one case, the case, its inputs where they are
// fixed, and facts.
//
//   WriteProgramFolder("out/reduced", program, c, model, {{"reduction.json", text}});
//   // opbyop run out/reduced --target T; opbyop repro ROW --run out/reduced --target T
//
// It takes the place of what was there at once: whoever stops the program finds the one or the other, whole.
#ifndef OPBYOP_COMMANDS_REDUCE_PROGRAM_FOLDER_H_
#define OPBYOP_COMMANDS_REDUCE_PROGRAM_FOLDER_H_

#include <filesystem>
#include <map>
#include <string>

#include "commands/reduce/program.h"
#include "manifests/cases/manifest.h"

namespace opbyop::reduction {

// `c` gives id and op; of `model` the name counts, so that the row is called as before. kUsage where something else is
// in the place of the folder.
Expected<void> WriteProgramFolder(const std::filesystem::path& folder, const Program& program, const Case& c,
                                  const Model& model, const std::map<std::string, std::string>& files);

}  // namespace opbyop::reduction

#endif  // OPBYOP_COMMANDS_REDUCE_PROGRAM_FOLDER_H_
