// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Made-up traces for tests, screenshots and benchmarks; the same on every machine.
//
//   Trace tutorial = SampleTrace();          // a network of two linear layers, 4 to 4 to 2, with its numbers
//   Trace many = LargeTrace(1'000'000);      // exactly so many spans
#ifndef OPBYOP_REPORTS_OPTRACE_SAMPLE_TRACE_H_
#define OPBYOP_REPORTS_OPTRACE_SAMPLE_TRACE_H_

#include <cstdint>
#include <filesystem>

#include "manifests/optrace/optrace.h"
#include "support/expected.h"

namespace opbyop::optrace {

struct SampleOptions {
  int64_t iterations = 3;
  // Every op takes this many percent longer, for a second run to compare with.
  int64_t slower_percent = 0;
};

// Linear(4, 4), ReLU, Linear(4, 2), Tanh: ten HLO ops under torch-style module paths, two of which overlap; uploads on
// two queues; runtime setup, compile stages and comparisons. The "device" rounds to 16 bits of mantissa after every op.
// Its outputs and the reference's are both computed.
Trace SampleTrace(const SampleOptions& options = {});

// A device of two cores that runs 200 ops again and again; every seventh span overlaps the one before.
Trace LargeTrace(int64_t spans);

// Writes it as optrace.ndjson.
Expected<void> WriteTrace(const Trace& trace, const std::filesystem::path& path);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_SAMPLE_TRACE_H_
