// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/libmvec.h"

#ifdef OPBYOP_HAS_LIBMVEC

#include <dlfcn.h>

#include <optional>
#include <type_traits>

namespace opbyop::reference {
namespace {

// The library stays loaded until the process ends.
std::optional<Libmvec> LoadLibmvec() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return std::nullopt;
  void* library = ::dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  bool complete = true;
  const auto find = [&](auto& function, const char* symbol) {
    void* found = ::dlsym(library, symbol);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    complete = complete && found != nullptr;
  };
  Libmvec all = {};
  // The names of the vector ABI of x86-64: AVX2, no mask, four elements, one or two vectors.
#define OPBYOP_ONE(name) find(all.name, "_ZGVdN4v_" #name)
#define OPBYOP_TWO(name) find(all.name, "_ZGVdN4vv_" #name)
  OPBYOP_ONE(acos);
  OPBYOP_ONE(acosh);
  OPBYOP_ONE(asin);
  OPBYOP_ONE(asinh);
  OPBYOP_ONE(atan);
  OPBYOP_ONE(atanh);
  OPBYOP_ONE(cbrt);
  OPBYOP_ONE(cos);
  OPBYOP_ONE(cosh);
  OPBYOP_ONE(erf);
  OPBYOP_ONE(erfc);
  OPBYOP_ONE(exp);
  OPBYOP_ONE(expm1);
  OPBYOP_ONE(log);
  OPBYOP_ONE(log1p);
  OPBYOP_ONE(sin);
  OPBYOP_ONE(sinh);
  OPBYOP_ONE(tan);
  OPBYOP_TWO(atan2);
  OPBYOP_TWO(pow);
#undef OPBYOP_ONE
#undef OPBYOP_TWO
  return complete ? std::optional(all) : std::nullopt;
}

}  // namespace

const Libmvec* InstalledLibmvec() {
  static const std::optional<Libmvec> library = LoadLibmvec();
  return library ? &*library : nullptr;
}

}  // namespace opbyop::reference

#endif
