// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/error_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "support/files/npy.h"

namespace opbyop::history {
namespace {

namespace fs = std::filesystem;

double FromHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1f) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

template <typename T>
T At(const NpyFile& file, size_t index) {
  T value;
  std::memcpy(&value, file.bytes().data() + index * sizeof(T), sizeof(T));
  return value;
}

// Reads an element; null for types that have no reader.
using Reader = double (*)(const NpyFile&, size_t);

Reader ReaderOf(std::string_view descr) {
  if (descr == "<f8") return [](const NpyFile& file, size_t i) { return At<double>(file, i); };
  if (descr == "<f4") return [](const NpyFile& file, size_t i) { return static_cast<double>(At<float>(file, i)); };
  if (descr == "<f2") return [](const NpyFile& file, size_t i) { return FromHalf(At<uint16_t>(file, i)); };
  return nullptr;
}

// The error as a multiple of the bound; infinite if that is not a number.
double Ratio(double got, double expected, double bound) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double error = std::abs(got - expected);
  if (!std::isfinite(error)) return std::isinf(bound) ? 0 : INFINITY;
  return bound > 0 ? error / bound : INFINITY;
}

std::optional<ErrorHistogram> HistogramOf(const fs::path& folder, int64_t output) {
  const auto read = [&](std::string_view what) { return ReadNpy(folder / fmt::format("{}_{}.npy", what, output)); };
  const Expected<NpyFile> got = read("output"), expected = read("expected"), bound = read("bound");
  if (!got || !expected || !bound) return std::nullopt;
  const Reader read_got = ReaderOf(got->descr()), read_expected = ReaderOf(expected->descr()),
               read_bound = ReaderOf(bound->descr());
  const bool alike = got->shape() == expected->shape() && got->shape() == bound->shape();
  if (read_got == nullptr || read_expected == nullptr || read_bound == nullptr || !alike) return std::nullopt;
  size_t elements = 1;
  for (const int64_t size : got->shape()) elements *= static_cast<size_t>(size);
  ErrorHistogram histogram{.output = output};
  for (size_t i = 0; i < elements; ++i) {
    const double ratio = Ratio(read_got(*got, i), read_expected(*expected, i), read_bound(*bound, i));
    const auto bin = std::ranges::lower_bound(kErrorEdges, ratio) - kErrorEdges.begin();
    ++histogram.bins[static_cast<size_t>(bin)];
  }
  return histogram;
}

}  // namespace

std::vector<ErrorHistogram> ErrorHistograms(const fs::path& kept) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(kept, error)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  folders.insert(folders.begin(), kept);
  std::vector<ErrorHistogram> histograms;
  for (const fs::path& folder : folders) {
    for (int64_t output = 0; fs::exists(folder / fmt::format("output_{}.npy", output)); ++output) {
      std::optional<ErrorHistogram> histogram = HistogramOf(folder, output);
      if (!histogram) continue;
      histogram->policy = folder == kept ? "domain" : folder.filename().string();
      histograms.push_back(std::move(*histogram));
    }
  }
  return histograms;
}

}  // namespace opbyop::history
