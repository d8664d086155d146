// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/dtype.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "support/countable.h"

namespace opbyop {
namespace {

struct Dtype {
  std::string_view name;
  int64_t bytes;
  std::string_view descr;
};

constexpr std::array kDtypes = {
    Dtype{"i1", 1, "|b1"},
    Dtype{"i2", 1, "|V1"},
    Dtype{"i4", 1, "|V1"},
    Dtype{"i8", 1, "|i1"},
    Dtype{"i16", 2, "<i2"},
    Dtype{"i32", 4, "<i4"},
    Dtype{"i64", 8, "<i8"},
    Dtype{"ui2", 1, "|V1"},
    Dtype{"ui4", 1, "|V1"},
    Dtype{"ui8", 1, "|u1"},
    Dtype{"ui16", 2, "<u2"},
    Dtype{"ui32", 4, "<u4"},
    Dtype{"ui64", 8, "<u8"},
    Dtype{"index", 8, "<i8"},
    Dtype{"f16", 2, "<f2"},
    Dtype{"bf16", 2, "<V2"},
    Dtype{"f32", 4, "<f4"},
    Dtype{"f64", 8, "<f8"},
    Dtype{"f8E4M3FN", 1, "|V1"},
    Dtype{"f8E5M2", 1, "|V1"},
    Dtype{"f8E4M3", 1, "|V1"},
    Dtype{"f8E3M4", 1, "|V1"},
    Dtype{"f8E4M3FNUZ", 1, "|V1"},
    Dtype{"f8E5M2FNUZ", 1, "|V1"},
    Dtype{"f8E4M3B11FNUZ", 1, "|V1"},
    Dtype{"f8E8M0FNU", 1, "|V1"},
    Dtype{"f6E2M3FN", 1, "|V1"},
    Dtype{"f6E3M2FN", 1, "|V1"},
    Dtype{"f4E2M1FN", 1, "|V1"},
    Dtype{"complex<f32>", 8, "<c8"},
    Dtype{"complex<f64>", 16, "<c16"},
};

const Dtype* Find(std::string_view name) {
  const auto* found = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& d) { return d.name == name; });
  return found == kDtypes.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string_view> AllDtypes() {
  std::vector<std::string_view> names;
  std::ranges::transform(kDtypes, std::back_inserter(names), &Dtype::name);
  return names;
}

std::optional<int64_t> DtypeBytes(std::string_view dtype) {
  const Dtype* found = Find(dtype);
  if (!found) return std::nullopt;
  return found->bytes;
}

std::optional<std::string> DtypeNumpyDescr(std::string_view dtype) {
  const Dtype* found = Find(dtype);
  if (!found) return std::nullopt;
  return std::string(found->descr);
}

bool IsCountable(std::span<const int64_t> shape) {
  constexpr int64_t kWidest = 16;
  int64_t product = kWidest;
  return std::ranges::all_of(shape, [&](int64_t dim) {
    return dim == kDynamic || dim == 0 || (dim > 0 && !__builtin_mul_overflow(product, dim, &product));
  });
}

std::optional<int64_t> NumElements(const TensorType& type) {
  if (!IsCountable(type.shape)) return std::nullopt;
  int64_t product = 1;
  for (const int64_t dim : type.shape) {
    if (dim == kDynamic) return std::nullopt;
    product *= dim;
  }
  return product;
}

int64_t StoredBytes(const TensorType& type) {
  return NumElements(type).value_or(0) * DtypeBytes(type.dtype).value_or(0);
}

}  // namespace opbyop
