// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/missing_libraries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>

#include "support/process/process.h"

namespace opbyop::pjrt {
namespace {

struct Source {
  std::string_view library;  // the beginning of its name
  std::string_view package;
};

// Libraries that plugins of vendors need. The names of pip's packages end with the version of CUDA.
constexpr std::array<Source, 28> kSources = {{
    {"libcuda.so", "NVIDIA's driver"},
    {"libcudnn", "pip's nvidia-cudnn-cu12 or -cu13"},
    {"libcublas", "pip's nvidia-cublas-cu12 or nvidia-cublas"},
    {"libcudart", "pip's nvidia-cuda-runtime-cu12 or nvidia-cuda-runtime"},
    {"libcupti", "pip's nvidia-cuda-cupti-cu12 or nvidia-cuda-cupti"},
    {"libcufft", "pip's nvidia-cufft-cu12 or nvidia-cufft"},
    {"libcusolver", "pip's nvidia-cusolver-cu12 or nvidia-cusolver"},
    {"libcusparse", "pip's nvidia-cusparse-cu12 or nvidia-cusparse"},
    {"libnccl", "pip's nvidia-nccl-cu12 or -cu13"},
    {"libnvrtc", "pip's nvidia-cuda-nvrtc-cu12 or nvidia-cuda-nvrtc"},
    {"libnvJitLink", "pip's nvidia-nvjitlink-cu12 or nvidia-nvjitlink"},
    {"libnvshmem", "pip's nvidia-nvshmem-cu12 or -cu13"},
    {"libamdhip64", "AMD's ROCm"},
    {"libMIOpen", "AMD's ROCm"},
    {"libhip", "AMD's ROCm"},
    {"libhsa-runtime64", "AMD's ROCm"},
    {"librccl", "AMD's ROCm"},
    {"libroc", "AMD's ROCm"},
    {"libamd_", "AMD's ROCm"},
    {"libze_loader", "Debian's libze1"},
    {"libsycl", "pip's intel-sycl-rt"},
    {"libmkl_", "pip's onemkl-sycl-blas and mkl"},
    {"libimf", "pip's intel-cmplr-lib-rt"},
    {"libsvml", "pip's intel-cmplr-lib-rt"},
    {"libccl", "pip's oneccl"},
    {"libnuma", "Debian's libnuma1"},
    {"libhwloc", "Debian's libhwloc15"},
    {"libgomp", "Debian's libgomp1"},
}};

}  // namespace

std::vector<std::string> MissingLibraries(const std::filesystem::path& file) {
  constexpr std::chrono::seconds kPatience(10);
  const Expected<std::string> listed = RunCommand({"ldd", file.string()}, kPatience);
  std::vector<std::string> missing;
  if (!listed) return missing;
  std::istringstream lines(*listed);
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(" => not found");
    if (arrow == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t");
    std::string name = line.substr(begin, arrow - begin);
    if (std::ranges::find(missing, name) == missing.end()) missing.push_back(std::move(name));
  }
  return missing;
}

std::string PackageWith(std::string_view library) {
  const auto found =
      std::ranges::find_if(kSources, [&](const Source& source) { return library.starts_with(source.library); });
  return found == kSources.end() ? "" : std::string(found->package);
}

std::string DescribeMissing(const std::vector<std::string>& libraries) {
  if (libraries.empty()) return "";
  std::vector<std::string> texts;
  for (const std::string& library : libraries) {
    const std::string package = PackageWith(library);
    texts.push_back(package.empty() ? library : fmt::format("{} ({})", library, package));
  }
  return fmt::format("{} {} missing: {}", texts.size(), texts.size() == 1 ? "library is" : "libraries are",
                     fmt::join(texts, ", "));
}

}  // namespace opbyop::pjrt
