// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as a baseline are read or refused with file and line; a baseline that was read judges a row.
#include "manifests/baselines/baseline.h"
#include "validation/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  const std::filesystem::path path = FuzzFile("baseline.yaml", data, size);
  const Expected<Baseline> baseline = LoadBaseline(path);
  if (!baseline) {
    CheckRefusal(baseline.error(), path);
    return 0;
  }
  const Case c{.id = "fft_8_f32_0a1b2c3d", .op = "stablehlo.fft", .outputs = {{{8}, "f32"}}};
  const Row row{&c, "bert_base"};
  baseline->Judge(row, {Status::kFail, "execute", "no kernel of f32[8]"});
  if (const Expected<void> checked = CheckBaseline(*baseline, {row}); !checked) CheckRefusal(checked.error(), path);
  return 0;
}
