// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/project_folder.h"

#include <cstdlib>
#include <sstream>

#include "support/text/shell_quote.h"

namespace opbyop {

namespace fs = std::filesystem;

namespace {

// Returns nullptr if the variable is not set or empty.
const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// PREFIX/share/opbyop for a program in PREFIX/libexec/opbyop. Other folders may have this name, so its targets are
// checked.
fs::path InstalledData() {
  const fs::path data = ProgramFolder().parent_path().parent_path() / "share/opbyop";
  std::error_code error;
  return fs::is_directory(data / "manifests/targets", error) ? data : fs::path();
}

}  // namespace

fs::path ProgramFolder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path(error) : self.parent_path();
}

fs::path ProjectFolder() {
  if (const char* source = Variable("OPBYOP_SOURCE_DIR")) return source;
  const fs::path installed = InstalledData();
  return installed.empty() ? ProgramFolder().parent_path().parent_path() : installed;
}

bool IsInstalled() { return Variable("OPBYOP_SOURCE_DIR") == nullptr && !InstalledData().empty(); }

fs::path VenvsFolder() {
  if (!IsInstalled()) return ProjectFolder();
  if (const char* cache = Variable("XDG_CACHE_HOME")) return fs::path(cache) / "opbyop";
  if (const char* home = Variable("HOME")) return fs::path(home) / ".cache/opbyop";
  std::error_code error;
  return fs::temp_directory_path(error) / "opbyop";
}

std::string SetupCommand() { return IsInstalled() ? CommandName("opbyop") + " setup" : "./dev setup"; }

std::string CommandName(std::string_view program) {
  const fs::path own = ProgramFolder() / program;
  std::error_code error;
  const char* path = Variable("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path found = fs::path(folder) / program;
    if (folder.empty() || !fs::is_regular_file(found, error)) continue;
    if (fs::path(folder).is_absolute() && fs::equivalent(found, own, error)) return ShellQuote(std::string(program));
    break;  // the shell would start this one
  }
  return ShellQuote(own.string());
}

}  // namespace opbyop
