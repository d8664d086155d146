// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes as a trace are read or refused; a trace that was read and is consistent is exported in every
// form.
#include "manifests/optrace/trace_file.h"
#include "reports/optrace/export.h"
#include "reports/optrace/verify.h"
#include "validation/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  const std::filesystem::path path = FuzzFile("optrace.ndjson", data, size);
  const Expected<optrace::Trace> trace = optrace::ReadTrace(path);
  if (!trace) {
    if (!trace.error().message.starts_with(path.string())) __builtin_trap();
    return 0;
  }
  if (!optrace::Verify(*trace).defects.empty()) return 0;
  for (const optrace::Exporter& exporter : optrace::Exporters()) {
    const Expected<optrace::Files> files = exporter.write(*trace, FuzzFolderPath() / "exports");
    if (!files && files.error().message.empty()) __builtin_trap();
  }
  return 0;
}
