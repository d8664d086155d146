// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/find_plugin.h"

#include <fmt/format.h>
#include <glob.h>

#include "support/files/project_folder.h"
#include "support/text/placeholders.h"

namespace opbyop {

namespace fs = std::filesystem;

Expected<fs::path> FindPlugin(const Target& target) {
  std::string path = ExpandPlaceholders(target.plugin, [](std::string_view name) {
    if (name == "root") return std::optional(ProjectFolder().string());
    return name == "venvs" ? std::optional(VenvsFolder().string()) : VariableValue(name);
  });
  std::error_code error;
  if (path.find('*') != std::string::npos) {
    glob_t found = {};
    if (::glob(path.c_str(), 0, nullptr, &found) == 0) path = found.gl_pathv[found.gl_pathc - 1];
    ::globfree(&found);
  }
  if (fs::is_regular_file(path, error)) return fs::path(path);
  std::string remedy = target.install.empty() ? "name an installed plugin" : target.install;
  if (!target.requirements.empty()) {
    remedy = fmt::format("`{} --target {}` installs it ({})", SetupCommand(), target.name, target.requirements);
  }
  return MakeError(ExitCode::kNoInput, fmt::format("target {}: no PJRT plugin {}: {}", target.name,
                                                   path.empty() ? "is named" : path, remedy));
}

}  // namespace opbyop
