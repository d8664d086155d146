// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any text is read or refused with a message.
#include <cstdint>
#include <string_view>

#include "ir/artifact_info.h"
#include "ir/read_module.h"
#include "validation/fuzz/fuzz_context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto info = opbyop::InspectArtifact(bytes);
  if (!info || info->kind != opbyop::ArtifactKind::kText) return 0;
  auto module = opbyop::ReadModuleFromBytes(bytes, "fuzz", opbyop::FuzzContext());
  if (!module && module.error().message.empty()) __builtin_trap();
  return 0;
}
