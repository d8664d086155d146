// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as a policy are read or refused with file and line.
#include "manifests/policies/policy.h"
#include "validation/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = opbyop::FuzzFile("policy.yaml", data, size);
  const opbyop::Expected<opbyop::Policy> policy = opbyop::LoadPolicy(path);
  if (!policy) {
    opbyop::CheckRefusal(policy.error(), path);
    return 0;
  }
  policy->For("stablehlo.tanh", "bf16", "host");
  return 0;
}
