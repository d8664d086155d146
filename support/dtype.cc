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
  int64_t bits;
  std::string_view descr;
};

constexpr std::array kDtypes = {
    Dtype{"i1", 1, "|b1"},
    Dtype{"i2", 2, "|V1"},
    Dtype{"i4", 4, "|V1"},
    Dtype{"i8", 8, "|i1"},
    Dtype{"i16", 16, "<i2"},
    Dtype{"i32", 32, "<i4"},
    Dtype{"i64", 64, "<i8"},
    Dtype{"ui2", 2, "|V1"},
    Dtype{"ui4", 4, "|V1"},
    Dtype{"ui8", 8, "|u1"},
    Dtype{"ui16", 16, "<u2"},
    Dtype{"ui32", 32, "<u4"},
    Dtype{"ui64", 64, "<u8"},
    Dtype{"index", 64, "<i8"},
    Dtype{"f16", 16, "<f2"},
    Dtype{"bf16", 16, "<V2"},
    Dtype{"f32", 32, "<f4"},
    Dtype{"f64", 64, "<f8"},
    Dtype{"f8E4M3FN", 8, "|V1"},
    Dtype{"f8E5M2", 8, "|V1"},
    Dtype{"f8E4M3", 8, "|V1"},
    Dtype{"f8E3M4", 8, "|V1"},
    Dtype{"f8E4M3FNUZ", 8, "|V1"},
    Dtype{"f8E5M2FNUZ", 8, "|V1"},
    Dtype{"f8E4M3B11FNUZ", 8, "|V1"},
    Dtype{"f8E8M0FNU", 8, "|V1"},
    Dtype{"f6E2M3FN", 6, "|V1"},
    Dtype{"f6E3M2FN", 6, "|V1"},
    Dtype{"f4E2M1FN", 4, "|V1"},
    Dtype{"complex<f32>", 64, "<c8"},
    Dtype{"complex<f64>", 128, "<c16"},
};

const Dtype* Find(std::string_view name) {
  const auto* found = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& d) { return d.name == name; });
  return found == kDtypes.end() ? nullptr : found;
}

bool IsSignedInteger(std::string_view dtype) { return dtype.starts_with('i') && dtype != "i1"; }

}  // namespace

std::vector<std::string_view> AllDtypes() {
  std::vector<std::string_view> names;
  std::ranges::transform(kDtypes, std::back_inserter(names), &Dtype::name);
  return names;
}

std::optional<int64_t> DtypeBits(std::string_view dtype) {
  const Dtype* found = Find(dtype);
  if (!found) return std::nullopt;
  return found->bits;
}

std::optional<int64_t> DtypeBytes(std::string_view dtype) {
  const Dtype* found = Find(dtype);
  if (!found) return std::nullopt;
  return (found->bits + 7) / 8;
}

bool IsNarrowSignedInteger(std::string_view dtype) {
  return IsSignedInteger(dtype) && DtypeBits(dtype).value_or(8) < 8;
}

// All bits of a float are NaN or the greatest negative number, those of an unsigned integer the greatest one.
std::vector<std::byte> ExtremeElement(std::string_view dtype) {
  const auto bytes = static_cast<size_t>(DtypeBytes(dtype).value_or(0));
  std::vector<std::byte> element(bytes, std::byte{0xff});
  if (bytes == 0) return element;
  const int64_t bits = DtypeBits(dtype).value_or(8);
  const int64_t in_last = (bits - 1) % 8 + (IsSignedInteger(dtype) ? 0 : 1);  // bits of the last byte that are ones
  element.back() = static_cast<std::byte>((1 << in_last) - 1);
  return element;
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
