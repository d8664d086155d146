// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what `compare` costs for a program, for the benchmarks of the reference.
//
//   Expected<CompareCost> cost = MeasureCompare("func.func @main(...) ...", "domain", dir);
//   cost->nanoseconds / static_cast<double>(cost->bytes);
#ifndef OPBYOP_REFERENCE_WORKER_COMPARE_COST_H_
#define OPBYOP_REFERENCE_WORKER_COMPARE_COST_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop::reference {

struct CompareCost {
  double nanoseconds = 0;  // processor time, with the files read and their digests checked
  int64_t bytes = 0;       // of inputs and outputs
};

// Draws inputs of the policy for @main and judges outputs of which about one element in eight is moved to a neighbour
// where its bound allows it. `dir` must exist; files are written to it.
Expected<CompareCost> MeasureCompare(const std::string& text, const std::string& policy,
                                     const std::filesystem::path& dir);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_COMPARE_COST_H_
