// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/kept_folder.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "harness/worker/own_folder.h"
#include "support/files/file.h"
#include "support/files/file_tree.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".opbyop-kept";

}  // namespace

Expected<void> EmptyKeptFolder(const fs::path& folder) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type != fs::file_type::not_found) {
    GrantOwnerAccess(folder);
    const bool is_ours =
        type == fs::file_type::directory &&
        (fs::is_regular_file(fs::symlink_status(folder / kMark, error)) || fs::is_empty(folder, error));
    if (!is_ours) {
      return MakeError(
          ExitCode::kUsage,
          fmt::format("{} has files that are not from a run; name another folder, or remove it", folder.string()));
    }
    if (const Expected<void> done = RemoveTree(folder); !done) return done;
  }
  fs::create_directories(folder, error);
  if (error || !fs::is_empty(folder, error)) {
    return MakeError(ExitCode::kNoInput, fmt::format("{} cannot be emptied: {}", folder.string(), error.message()));
  }
  return WriteFile(folder / kMark, "opbyop empties this folder when the case is run again\n");
}

void MoveTensors(const fs::path& from, const fs::path& to) {
  GrantOwnerAccess(from);
  std::error_code error;
  std::vector<fs::path> tensors;  // the folder must not change while it is listed
  for (const auto& entry : fs::directory_iterator(from, error)) {
    if (entry.path().extension() == ".npy") tensors.push_back(entry.path());
  }
  for (const fs::path& tensor : tensors) {
    fs::create_directory(to, error);
    fs::rename(tensor, to / tensor.filename(), error);
  }
}

}  // namespace opbyop::harness
