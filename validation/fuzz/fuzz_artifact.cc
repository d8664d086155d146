// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as an artifact, alone or in the container of jax.export, are read or refused with a message; a
// program that was read can be written.
#include <cstdint>
#include <string_view>

#include "ir/read_module.h"
#include "ir/vhlo/write_artifact.h"
#include "validation/fuzz/fuzz_context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto module = opbyop::ReadModuleFromBytes(bytes, "fuzz", opbyop::FuzzContext());
  if (!module) {
    if (module.error().message.empty()) __builtin_trap();
    return 0;
  }
  auto written = opbyop::SerializePortableArtifact(**module, opbyop::kNewestVhloVersion);
  if (!written && written.error().message.empty()) __builtin_trap();
  return 0;
}
