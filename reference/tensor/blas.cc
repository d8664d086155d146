// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/blas.h"

#include <dlfcn.h>

namespace opbyop::reference {
namespace {

// The library stays loaded until the process ends.
Blas LoadBlas() {
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  using SetThreads = void (*)(int);
  if (const auto set_threads = reinterpret_cast<SetThreads>(::dlsym(library, "openblas_set_num_threads"))) {
    set_threads(1);
  }
  return {.dgemm = reinterpret_cast<Dgemm>(::dlsym(library, "cblas_dgemm")),
          .sgemm = reinterpret_cast<Sgemm>(::dlsym(library, "cblas_sgemm"))};
}

}  // namespace

const Blas* InstalledBlas() {
  static const Blas blas = LoadBlas();
  return blas.dgemm == nullptr ? nullptr : &blas;
}

}  // namespace opbyop::reference
