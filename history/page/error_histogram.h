// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts the elements of an output by their errors, as multiples of their bounds. Needs a run that kept its tensors
// (--keep, opbyop repro).
//
//   for (const ErrorHistogram& h : ErrorHistograms("out/repro/ROW/add_4_f32_1a2b3c4d")) Draw(h.bins);
#ifndef OPBYOP_HISTORY_PAGE_ERROR_HISTOGRAM_H_
#define OPBYOP_HISTORY_PAGE_ERROR_HISTOGRAM_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace opbyop::history {

// Edges of error over bound: 0, up to 1/1000, 1/100, 1/10, 1/2, 1, 2, 10, more. The last bin also has the elements of
// which only one of the two values is NaN.
inline constexpr std::array kErrorEdges = {0.0, 1e-3, 1e-2, 1e-1, 0.5, 1.0, 2.0, 10.0};

struct ErrorHistogram {
  std::string policy;  // the policy of the input set; "domain" for the first
  int64_t output = 0;
  std::array<int64_t, kErrorEdges.size() + 1> bins{};
};

// The histograms of the outputs in a case's kept folder and in the folders of its input sets, sorted by name. Outputs
// are left out if NumPy lacks their element type (it has f16, f32, f64), or if their tensors are absent or cannot be
// read.
std::vector<ErrorHistogram> ErrorHistograms(const std::filesystem::path& kept);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_ERROR_HISTOGRAM_H_
