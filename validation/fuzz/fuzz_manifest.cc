// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as a manifest are read or refused with file and line; a manifest that was read and written
// reads back the same.
#include "manifests/cases/manifest.h"
#include "support/files/file.h"
#include "validation/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  // The case that the seeds name.
  static const bool is_made = WriteFile(FuzzFolderPath() / "cases/add.mlir", "module {}").has_value();
  if (!is_made) __builtin_trap();
  const std::filesystem::path path = FuzzFile("manifest.yaml", data, size);
  const Expected<Manifest> manifest = LoadManifest(path);
  if (!manifest) {
    CheckRefusal(manifest.error(), path);
    return 0;
  }
  Rows(*manifest);
  const std::string text = WriteManifest(*manifest);
  const Expected<Manifest> again =
      LoadManifest(FuzzFile("manifest.yaml", reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  if (!again || WriteManifest(*again) != text) __builtin_trap();
  return 0;
}
