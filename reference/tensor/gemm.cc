// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/gemm.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "reference/tensor/clones.h"
#include "reference/tensor/f32_moduli.h"
#include "reference/tensor/panel.h"
#include "reference/tensor/parallel.h"
#include "reference/tensor/product_check.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kDepth = 256;  // inner positions of a packed panel: panel and tile fit the first-level cache
static_assert(kDepth <= kMostTermsInF32);
constexpr int64_t kColumnBlock = 1024;
constexpr double kWorthThreads = 4e6;  // multiply-adds, which take far longer than starting a thread
constexpr int64_t kBlasExtent = 8;     // rows and columns that a product needs to be worth a library
// Terms of a sum that it needs: those of shorter sums cost less than the check and the copies of results.
constexpr int64_t kBlasDepth = 64;

int64_t SizeOf(std::span<const int64_t> positions) { return static_cast<int64_t>(positions.size()); }

std::span<const int64_t> Part(std::span<const int64_t> all, int64_t begin, int64_t count) {
  return all.subspan(static_cast<size_t>(begin), static_cast<size_t>(count));
}

struct Same {
  template <typename T>
  double operator()(T v) const {
    return static_cast<double>(v);
  }
};

struct FromBf16 {
  double operator()(uint16_t code) const { return std::bit_cast<float>(static_cast<uint32_t>(code) << 16); }
};

template <typename T, typename Decode>
void CopyRun(const T* from, Decode decode, int64_t count, double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = decode(from[i]);
}

OPBYOP_CLONES void CopyRun(const uint16_t* from, FromBf16 decode, int64_t count, double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = decode(from[i]);
}

OPBYOP_CLONES void CopyRun(const float* from, Same decode, int64_t count, double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = decode(from[i]);
}

// Transposes a square of four rows in registers.
__attribute__((always_inline)) inline void TransposeFour(const double* from, int64_t from_stride, double* to,
                                                         int64_t to_stride) {
  Four rows[4];
  for (int64_t r = 0; r < 4; ++r) std::memcpy(&rows[r], from + r * from_stride, sizeof(Four));
  const Four even01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
  const Four odd01 = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
  const Four even23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
  const Four odd23 = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
  const Four columns[4] = {
      __builtin_shufflevector(even01, even23, 0, 1, 4, 5), __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5),
      __builtin_shufflevector(even01, even23, 2, 3, 6, 7), __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7)};
  for (int64_t c = 0; c < 4; ++c) std::memcpy(to + c * to_stride, &columns[c], sizeof(Four));
}

// to[columns x rows] = from[rows x columns], by squares, so that each cache line is read and written once.
OPBYOP_CLONES void Transpose(const double* from, int64_t from_stride, int64_t rows, int64_t columns, double* to,
                             int64_t to_stride) {
  constexpr int64_t kSide = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kSide) {
    const int64_t r1 = std::min(r0 + kSide, rows);
    for (int64_t c = 0; c < columns; c += 4) {
      int64_t r = r0;
      if (c + 4 <= columns) {
        for (; r + 4 <= r1; r += 4)
          TransposeFour(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
      }
      for (; r < r1; ++r) {
        for (int64_t at = c; at < std::min(c + 4, columns); ++at) to[at * to_stride + r] = from[r * from_stride + at];
      }
    }
  }
}

template <typename T, typename Decode>
struct Reader {
  const T* data;
  Decode decode;
  double operator()(int64_t i) const { return decode(data[i]); }
  const T* from(int64_t i) const { return data + i; }
  void Copy(int64_t first, int64_t count, double* to) const { CopyRun(data + first, decode, count, to); }
  // Asks for them ahead of a Copy: a processor does not foresee the next of many short runs.
  void Fetch(int64_t first, int64_t count) const {
    constexpr int64_t kCacheLine = 64;
    const auto* const bytes = reinterpret_cast<const std::byte*>(data + first);
    for (int64_t line = 0; line < count * static_cast<int64_t>(sizeof(T)); line += kCacheLine)
      __builtin_prefetch(bytes + line);
  }
};

// Calls fn(read), where read(i) is number i, read.from(i) its address, and read.Copy(i, ...) and read.Fetch(i, ...)
// read from there on.
template <typename Fn>
void WithReader(const StoredNumbers& numbers, Fn&& fn) {
  const auto of = [&]<typename T, typename Decode>(const T* data, Decode decode) {
    fn(Reader<T, Decode>{data, decode});
  };
  const auto coded = [table = numbers.table, mask = numbers.mask](auto code) { return table[code & mask]; };
  switch (numbers.form) {
    case NumberForm::kF64:
      return of(static_cast<const double*>(numbers.data), Same());
    case NumberForm::kF32:
      return of(static_cast<const float*>(numbers.data), Same());
    case NumberForm::kBf16:
      return of(static_cast<const uint16_t*>(numbers.data), FromBf16());
    case NumberForm::kCode16:
      return of(static_cast<const uint16_t*>(numbers.data), coded);
    case NumberForm::kCode8:
      return of(static_cast<const uint8_t*>(numbers.data), coded);
    case NumberForm::kI64:
      return of(static_cast<const int64_t*>(numbers.data), Same());
  }
}

// True if the positions follow each other in memory.
bool AreContiguous(std::span<const int64_t> positions) {
  for (size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] != positions[i - 1] + 1) return false;
  }
  return true;
}

// c = kept * c + a * b
void MultiplyByBlas(const Blas& blas, const Panel& a, const Panel& b, double kept, double* c) {
  const auto m = static_cast<int>(a.rows), n = static_cast<int>(b.columns), k = static_cast<int>(b.rows);
  blas.dgemm(kBlasRowMajor, kBlasAsItIs, kBlasAsItIs, m, n, k, 1, a.values.data(), k, b.values.data(), n, kept, c, n);
}

// Computes a block of a product: the library if `check` is there, or else the reference's own loops.
struct Means {
  const Blas* blas = nullptr;
  const ProductCheck* check = nullptr;
  bool in_f32 = false;
};

// The means that are left where these gave a wrong product.
Means WithoutWrong(const Means& means) {
  if (means.in_f32) {
    means.blas->trusted_in_f32 = false;
    return {means.blas, means.check};
  }
  means.blas->trusted = false;
  return {};
}

bool IsModulus(Taken taken) { return taken == Taken::kModulus || taken == Taken::kFiniteModulus; }

// Computes sums[narrow rows x wide rows] for a block of rows of the wide operand. Returns false if a library's product
// is wrong.
bool MultiplyBlock(const GemmOperand& narrow, const GemmOperand& wide, Taken taken, const Means& means,
                   std::span<double> sums) {
  const int64_t rows = SizeOf(narrow.outer), columns = SizeOf(wide.outer), depth = SizeOf(narrow.inner);
  // For so few rows or so short sums, packing tiles would cost more than it saves.
  const bool direct = rows < 3 || columns < 3 || depth < 3;
  const bool in_f64_by_blas = !direct && !means.in_f32 && means.check != nullptr;
  if (!in_f64_by_blas || depth == 0) std::ranges::fill(sums, 0.0);
  ProductCheck::Sums checked(means.check == nullptr ? 0 : columns);
  F32Moduli moduli(means.in_f32 ? means.blas->sgemm : nullptr);
  Panel w, s;
  for (int64_t p = 0; p < depth; p += kDepth) {
    const int64_t here = std::min(kDepth, depth - p);
    w.Fill(wide.numbers, Part(wide.inner, p, here), wide.outer, taken);
    if (means.in_f32) moduli.SetWide(w);
    for (int64_t i = 0; i < rows; i += kColumnBlock) {
      const int64_t count = std::min(kColumnBlock, rows - i);
      s.Fill(narrow.numbers, Part(narrow.outer, i, count), Part(narrow.inner, p, here), taken);
      double* to = sums.data() + i * columns;
      if (direct) {
        AddRows(count, s.values.data(), here, w.values.data(), here, columns, to, columns);
      } else if (means.in_f32) {
        moduli.Add(s, to);
      } else if (in_f64_by_blas) {
        MultiplyByBlas(*means.blas, s, w, p == 0 ? 0 : 1, to);
      } else {
        AddTiles(s, w, to);
      }
    }
    if (means.check != nullptr) means.check->Add(p, w, checked);
  }
  const SumType type = means.in_f32 ? SumType::kF32 : SumType::kF64;
  if (means.check != nullptr && !means.check->IsRight(checked, sums.data(), columns, type)) return false;
  if (means.in_f32) RoundUpF32Moduli(sums);
  return true;
}

}  // namespace

StoredNumbers StoredNumbers::From(int64_t first) const {
  StoredNumbers from = *this;
  WithReader(*this, [&](auto read) { from.data = read.from(first); });
  return from;
}

void CopyNumbers(const StoredNumbers& numbers, std::span<const int64_t> rows, std::span<const int64_t> columns,
                 double* out, int64_t stride) {
  if (rows.empty() || columns.empty()) return;
  const int64_t m = SizeOf(rows), n = SizeOf(columns);
  if (AreContiguous(columns)) {
    constexpr int64_t kRowsAhead = 8;
    WithReader(numbers, [&](auto read) {
      for (int64_t r = 0; r < m; ++r) {
        if (r + kRowsAhead < m) read.Fetch(rows[static_cast<size_t>(r + kRowsAhead)] + columns[0], n);
        read.Copy(rows[static_cast<size_t>(r)] + columns[0], n, out + r * stride);
      }
    });
    return;
  }
  // A tile is read along its columns and written along its rows, so that each cache line is read and written once:
  // lines a power of two apart would displace each other.
  const bool along_columns = AreContiguous(rows);
  constexpr int64_t kTileRows = 64, kTileColumns = 16, kColumnsAhead = 8;
  WithReader(numbers, [&](auto read) {
    double tile[kTileColumns][kTileRows];
    // All rows of a tile's columns, one tile after the other: where rows follow each other, memory is read in streams.
    for (int64_t c0 = 0; c0 < n; c0 += kTileColumns) {
      const int64_t width = std::min(kTileColumns, n - c0);
      for (int64_t r0 = 0; r0 < m; r0 += kTileRows) {
        const int64_t height = std::min(kTileRows, m - r0);
        const int64_t* const places = rows.data() + r0;
        for (int64_t c = 0; c < width; ++c) {
          const int64_t from = columns[static_cast<size_t>(c0 + c)];
          if (along_columns) {
            const int64_t ahead = columns[static_cast<size_t>(std::min(c0 + c + kColumnsAhead, n - 1))];
            read.Fetch(ahead + places[0], height);
            read.Copy(from + places[0], height, tile[c]);
          } else {
            for (int64_t r = 0; r < height; ++r) tile[c][r] = read(from + places[r]);
          }
        }
        Transpose(tile[0], kTileRows, width, height, out + r0 * stride + c0, stride);
      }
    }
  });
}

void Gemm(const GemmOperand& a, const GemmOperand& b, double* c, const GemmOptions& options) {
  const bool b_is_wide = a.outer.size() <= b.outer.size();
  const GemmOperand& narrow = b_is_wide ? a : b;
  const GemmOperand& wide = b_is_wide ? b : a;
  const int64_t rows = SizeOf(narrow.outer), columns = SizeOf(wide.outer), depth = SizeOf(narrow.inner);
  const double work = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  const bool by_library = options.blas != nullptr && options.blas->trusted && work >= kWorthBlas &&
                          std::min(rows, columns) >= kBlasExtent && depth >= kBlasDepth;
  std::optional<ProductCheck> check;
  if (by_library) check.emplace(narrow, options.taken);
  const int64_t blocks = (columns + kColumnBlock - 1) / kColumnBlock;
  // Blocks are the same whatever the number of threads, since a library may sum those of another size in another order.
  ForChunks(blocks, work < kWorthThreads ? 1 : options.threads, [&](int64_t begin, int64_t end) {
    std::vector<double> copied;
    for (int64_t j = begin * kColumnBlock; j < std::min(end * kColumnBlock, columns); j += kColumnBlock) {
      const int64_t count = std::min(kColumnBlock, columns - j);
      const GemmOperand block{wide.numbers, Part(wide.outer, j, count), wide.inner};
      Means means;
      if (by_library && options.blas->trusted) {
        means = {options.blas, &*check, IsModulus(options.taken) && options.blas->HasTrustedF32()};
      }
      // The rows of a block that has all columns follow each other in the product.
      const bool in_place = b_is_wide && count == columns;
      const auto size = static_cast<size_t>(rows * count);
      if (!in_place) copied.resize(size);
      const std::span<double> sums(in_place ? c : copied.data(), size);
      while (!MultiplyBlock(narrow, block, options.taken, means, sums)) means = WithoutWrong(means);
      if (in_place) continue;
      if (b_is_wide) {
        for (int64_t i = 0; i < rows; ++i) std::copy_n(sums.data() + i * count, count, c + i * columns + j);
      } else {
        Transpose(sums.data(), count, rows, count, c + j * rows, rows);
      }
    }
  });
}

Offsets OffsetsOf(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
  Offsets offsets{0};
  for (size_t d = 0; d < extents.size(); ++d) {
    Offsets next;
    next.reserve(offsets.size() * static_cast<size_t>(std::max<int64_t>(extents[d], 0)));
    for (const int64_t base : offsets) {
      for (int64_t i = 0; i < extents[d]; ++i) next.push_back(base + i * strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace opbyop::reference
