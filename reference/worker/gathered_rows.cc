// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/gathered_rows.h"

#include <cstring>
#include <utility>

namespace opbyop::reference {
namespace {

// Copies the elements, of `width` bytes each.
void CopyRows(const std::byte* from, size_t width, int64_t base, const Offsets& outer, std::span<const int64_t> rows,
              const Offsets& inner, std::byte* to) {
  for (const int64_t row : rows) {
    const int64_t first = base + outer[static_cast<size_t>(row)];
    for (const int64_t offset : inner) {
      std::memcpy(to, from + static_cast<size_t>(first + offset) * width, width);
      to += width;
    }
  }
}

Shape ShapeOf(std::span<const int64_t> rows, const Offsets& inner) {
  return {static_cast<int64_t>(rows.size()), static_cast<int64_t>(inner.size())};
}

}  // namespace

Tensor GatherStoredRows(ElementType type, const std::byte* stored, int64_t base, const Offsets& outer,
                        std::span<const int64_t> rows, const Offsets& inner) {
  const auto width = static_cast<size_t>(StoredBytes(type));
  Buffer bytes(rows.size() * inner.size() * width);
  CopyRows(stored, width, base, outer, rows, inner, bytes.data());
  return Tensor::OfStored(type, ShapeOf(rows, inner), std::move(bytes));
}

Tensor GatherRows(const Tensor& t, int64_t base, const Offsets& outer, std::span<const int64_t> rows,
                  const Offsets& inner) {
  if (t.stored() != nullptr) return GatherStoredRows(t.type(), t.stored(), base, outer, rows, inner);
  Tensor out = Tensor::Make(t.type(), ShapeOf(rows, inner));
  WithStorage(t.kind(), [&]<typename T>() {
    CopyRows(reinterpret_cast<const std::byte*>(t.data<T>().data()), sizeof(T), base, outer, rows, inner,
             reinterpret_cast<std::byte*>(out.Mutable<T>().data()));
  });
  return out;
}

}  // namespace opbyop::reference
