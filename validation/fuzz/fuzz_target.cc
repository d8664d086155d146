// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as a target's description are read or refused with file and line.
#include "manifests/targets/target.h"
#include "validation/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = opbyop::FuzzFile("target.yaml", data, size);
  const opbyop::Expected<opbyop::Target> target = opbyop::LoadTarget(path);
  if (!target) opbyop::CheckRefusal(target.error(), path);
  return 0;
}
