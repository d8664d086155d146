// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a program as a folder that every command takes: a manifest with its one case, the case, its inputs if they are
// fixed, and facts.
//
//   WriteProgramFolder("out/reduced", program, c, model, {{"reduction.json", text}});
//   // opbyop run out/reduced --target T; opbyop repro ROW --run out/reduced --target T
//
// Replaces an earlier folder at once: if the program is interrupted, either the old or the new folder is there,
// complete.
#ifndef OPBYOP_REDUCTION_PROGRAM_FOLDER_H_
#define OPBYOP_REDUCTION_PROGRAM_FOLDER_H_

#include <filesystem>
#include <map>
#include <string>

#include "manifests/cases/manifest.h"
#include "reduction/program.h"

namespace opbyop::reduction {

// `c` gives id and op; only the name of `model` is used, so that the row keeps its name. Returns kUsage if the path has
// something other than such a folder.
Expected<void> WriteProgramFolder(const std::filesystem::path& folder, const Program& program, const Case& c,
                                  const Model& model, const std::map<std::string, std::string>& files);

}  // namespace opbyop::reduction

#endif  // OPBYOP_REDUCTION_PROGRAM_FOLDER_H_
