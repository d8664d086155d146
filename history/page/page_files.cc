// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/page_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/files/file.h"
#include "support/text/timestamp.h"

namespace opbyop::history {

namespace fs = std::filesystem;

namespace {

// Marks a folder whose files were written by this program, which may therefore remove them.
constexpr const char* kMark = ".opbyop-history-page";

}  // namespace

Expected<PageFiles> PageFiles::Make(const fs::path& out) {
  const fs::path folder = out / "data";
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error))) {
    const bool empty = fs::is_directory(folder) && fs::is_empty(folder, error);
    if (!empty && !fs::is_regular_file(folder / kMark)) {
      return MakeError(
          ExitCode::kUsage,
          folder.string() +
              ": exists and was not made by `opbyop history page`: name another folder with -o, or remove it");
    }
    fs::remove_all(folder, error);
    if (error) return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", folder.string(), error.message()));
  }
  if (const Expected<void> marked = WriteFile(folder / kMark, ""); !marked) return Unexpected(marked.error());
  return PageFiles(folder, fmt::format("{:x}", NowMicroseconds()));
}

Expected<void> PageFiles::Write(const std::string& name, std::string_view json) {
  // Browsers read a text with JSON.parse faster than a script with the same values.
  const std::string quoted = nlohmann::json(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string text = fmt::format("opbyopTake(\"{}\",\"{}\",{});\n", version_, name, quoted);
  bytes_ += static_cast<int64_t>(text.size());
  ++count_;
  return WriteFile(folder_ / (name + ".js"), text);
}

}  // namespace opbyop::history
