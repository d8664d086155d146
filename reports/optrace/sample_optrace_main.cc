// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sample_optrace FILE [SPANS|slower]: writes a made-up trace, to look at and to test its readers with.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "reports/optrace/sample_trace.h"

int main(int argc, char** argv) {
  using namespace opbyop;
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: sample_optrace FILE [SPANS|slower]\n");
    return static_cast<int>(ExitCode::kUsage);
  }
  const std::string_view kind = argc == 3 ? argv[2] : "";
  const optrace::Trace trace = kind.empty()       ? optrace::SampleTrace()
                               : kind == "slower" ? optrace::SampleTrace({.slower_percent = 20})
                                                  : optrace::LargeTrace(std::strtoll(argv[2], nullptr, 10));
  if (const auto written = optrace::WriteTrace(trace, argv[1]); !written) {
    fmt::print(stderr, "{}\n", written.error().message);
    return static_cast<int>(written.error().code);
  }
  return 0;
}
