// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far the elements of an output are from what was expected, as multiples of their bounds, where a run kept its
// tensors (--keep, opbyop repro).
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

// Error over bound: 0, up to 1/1000, 1/100, 1/10, 1/2, 1, 2, 10, more; the last also of elements of which one alone is
// no number.
inline constexpr std::array kErrorEdges = {0.0, 1e-3, 1e-2, 1e-1, 0.5, 1.0, 2.0, 10.0};

struct ErrorHistogram {
  std::string policy;  // "domain" for the first set's
  int64_t output = 0;
  std::array<int64_t, kErrorEdges.size() + 1> bins{};
};

// The histograms of the outputs in a case's kept folder and in the folders of its input sets, by name. There is none
// for outputs whose elements are no floats that NumPy has (f16, f32, f64), or whose tensors are absent or cannot be
// read.
std::vector<ErrorHistogram> ErrorHistograms(const std::filesystem::path& kept);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_ERROR_HISTOGRAM_H_
