// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/program_file.h"

#include <fmt/format.h>

#include <vector>

namespace opbyop {

namespace fs = std::filesystem;

Expected<fs::path> ProgramFile(const fs::path& named) {
  std::error_code absent;
  if (named == "-") return fs::path("/dev/stdin");
  if (!fs::is_directory(named, absent)) return named;
  std::vector<fs::path> functions;
  for (const auto& entry : fs::directory_iterator(named / "functions", absent)) {
    if (entry.path().extension() != ".bytecode") continue;
    if (entry.path().stem() == "forward") return entry.path();
    functions.push_back(entry.path());
  }
  if (functions.size() == 1) return functions.front();
  if (functions.empty()) {
    return MakeError(ExitCode::kNoInput, fmt::format("{} is a folder without functions/*.bytecode, expected a file or "
                                                     "a folder that torch_xla's save() wrote",
                                                     named.string()));
  }
  return MakeError(ExitCode::kBadInput, fmt::format("{} holds {} functions and none is called forward, so name one of "
                                                    "functions/*.bytecode itself",
                                                    named.string(), functions.size()));
}

}  // namespace opbyop
