// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace opbyop::reference {
namespace {

// OpenBLAS reads it when it is loaded.
constexpr char kKernelsVariable[] = "OPENBLAS_CORETYPE";

void* OpenLibrary() { return ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL); }

template <typename Function>
Function* Find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

VectorUnits UnitsOfThisProcessor() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return {.avx2 = avx2, .avx512 = avx2 && avx512};
#else
  return {};
#endif
}

// Loads the library, and once more if it has better kernels than those that it chose and nobody else named any.
void* LoadLibrary() {
  void* library = OpenLibrary();
  if (library == nullptr || std::getenv(kKernelsVariable) != nullptr) return library;
  auto* const chosen = Find<char*()>(library, "openblas_get_corename");
  if (chosen == nullptr) return library;
  const std::string better(BetterKernels(chosen(), UnitsOfThisProcessor()));
  if (better.empty()) return library;
  ::dlclose(library);
  ::setenv(kKernelsVariable, better.c_str(), 0);
  library = OpenLibrary();
  ::unsetenv(kKernelsVariable);
  return library;
}

// The library stays loaded until the process ends.
Blas LoadBlas() {
  void* library = LoadLibrary();
  if (library == nullptr) return {};
  if (auto* const set_threads = Find<void(int)>(library, "openblas_set_num_threads")) set_threads(1);
  return {.dgemm = reinterpret_cast<Dgemm>(::dlsym(library, "cblas_dgemm")),
          .sgemm = reinterpret_cast<Sgemm>(::dlsym(library, "cblas_sgemm"))};
}

}  // namespace

std::string_view BetterKernels(std::string_view chosen, const VectorUnits& units) {
  constexpr std::array<std::string_view, 9> kNarrow = {"Unknown", "Prescott",  "Core2",   "Penryn",     "Dunnington",
                                                       "Nehalem", "Barcelona", "Opteron", "Sandybridge"};
  if (std::ranges::find(kNarrow, chosen) == kNarrow.end()) return {};
  return units.avx512 ? "SKYLAKEX" : units.avx2 ? "HASWELL" : "";
}

const Blas* InstalledBlas() {
  static const Blas blas = LoadBlas();
  return blas.dgemm == nullptr ? nullptr : &blas;
}

}  // namespace opbyop::reference
