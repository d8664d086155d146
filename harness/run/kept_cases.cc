// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/kept_cases.h"

#include <chrono>
#include <string>

#include "manifests/runs/kept_attributes.h"
#include "support/files/project_folder.h"
#include "support/process/process.h"

namespace opbyop::harness {

Expected<Manifest> LoadCases(const std::filesystem::path& manifest, const Target& target) {
  Expected<Manifest> split = LoadManifest(manifest);
  if (!split || !KeepsAny(*split, target.keep_attributes)) return split;
  constexpr std::chrono::hours kLimit(1);  // the programs are small, and may be many
  const Expected<std::string> written = RunCommand(
      {(ProgramFolder() / "opbyop").string(), "keep-attributes", manifest.string(), "--target", target.path.string()},
      kLimit);
  if (!written) return Unexpected(written.error());
  return LoadManifest(KeptFolder(*split, target) / "manifest.yaml");
}

}  // namespace opbyop::harness
