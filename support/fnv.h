// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FNV-1a, the hash from which seeds are made. It is fast and the same on every machine, but not cryptographic.
//
//   uint64_t hash = Fnv1a(case_id);
#ifndef OPBYOP_SUPPORT_FNV_H_
#define OPBYOP_SUPPORT_FNV_H_

#include <cstdint>
#include <string_view>

namespace opbyop {

inline constexpr uint64_t kFnvBasis = 0xCBF29CE484222325;

// Returns 64 bits. Another `basis` than the standard one gives another hash of the family.
constexpr uint64_t Fnv1a(std::string_view text, uint64_t basis = kFnvBasis) {
  constexpr uint64_t kPrime = 0x100000001B3;
  uint64_t hash = basis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FNV_H_
