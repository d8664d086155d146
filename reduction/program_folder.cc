// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduction/program_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>

#include "generator/program/case_writer.h"
#include "reduction/judge.h"
#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop::reduction {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.yaml";

Expected<void> TakePlace(const fs::path& fresh, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(fresh, error);
      return {};
    }
    // The file system cannot exchange folders: for a moment there is none.
    fs::remove_all(folder, error);
  }
  fs::rename(fresh, folder, error);
  if (error) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", folder.string(), error.message()));
  }
  return {};
}

}  // namespace

Expected<void> WriteProgramFolder(const fs::path& folder, const Program& program, const Case& c, const Model& model,
                                  const std::map<std::string, std::string>& files) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::exists(folder / kManifest, error) && !fs::is_empty(folder, error)) {
    return MakeError(ExitCode::kUsage, fmt::format("{}: has other files: name another folder", folder.string()));
  }
  const fs::path fresh = folder.string() + ".new";
  fs::remove_all(fresh, error);
  Case own = CaseOf(program, c);
  own.file = fmt::format("cases/{}.mlir", own.id);
  const std::string text = generator::CaseText(program.module.get(), {.id = own.id});
  own.hash = Sha256Hex(text);
  own.attributes.clear();
  own.origins = {{.model = model.name, .count = 1}};
  Manifest manifest;
  manifest.models.push_back(model);
  manifest.models.back().stage.clear();
  manifest.cases.push_back(own);
  if (const auto written = WriteFile(fresh / own.file, text); !written) return Unexpected(written.error());
  if (program.inputs) {
    if (const auto stored = StoreFixedInputs(program, own.id, fresh); !stored) return Unexpected(stored.error());
  }
  for (const auto& [name, content] : files) {
    if (const auto written = WriteFile(fresh / name, content); !written) return Unexpected(written.error());
  }
  if (const Expected<void> good = CheckManifest(manifest); !good) return Unexpected(good.error());
  if (const auto written = WriteFile(fresh / kManifest, WriteManifest(manifest)); !written) {
    return Unexpected(written.error());
  }
  return TakePlace(fresh, folder);
}

}  // namespace opbyop::reduction
