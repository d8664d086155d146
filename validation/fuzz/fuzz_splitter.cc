// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any program that can be read is split or refused with a message, and each case reads back.
#include <cstdint>
#include <string>
#include <string_view>

#include "generator/split/splitter.h"
#include "ir/read_module.h"
#include "validation/fuzz/fuzz_context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  mlir::MLIRContext& context = FuzzContext();
  auto module = ReadModuleFromBytes(bytes, "fuzz", context);
  if (!module) return 0;
  std::vector<std::string> texts;
  generator::Splitter splitter({}, [&](const std::string&, const std::string& text) -> Expected<void> {
    texts.push_back(text);
    return {};
  });
  auto added = splitter.Add(0, **module, {.name = "fuzz"});
  if (!added || !added->error.empty()) return 0;
  for (const std::string& text : texts) {
    if (!ReadModuleFromBytes(text, "case", context)) __builtin_trap();
  }
  return 0;
}
