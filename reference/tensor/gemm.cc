// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/gemm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "reference/tensor/clones.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/parallel.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kRows = 6;  // rows of a micro tile
constexpr int64_t kColumns = 8;
constexpr int64_t kDepth = 256;  // inner positions of a packed panel: panel and tile fit the first-level cache
constexpr int64_t kRowBlock = 96;
constexpr int64_t kColumnBlock = 512;
constexpr double kWorthThreads = 4e6;  // multiply-adds, which take far longer than starting a thread
constexpr int64_t kBlasExtent = 8;     // rows and columns that a product needs to be worth a library
// Terms of a sum that it needs: those of shorter sums cost less than the check and the copies of results.
constexpr int64_t kBlasDepth = 256;

int64_t SizeOf(std::span<const int64_t> positions) { return static_cast<int64_t>(positions.size()); }

std::span<const int64_t> Part(std::span<const int64_t> all, int64_t begin, int64_t count) {
  return all.subspan(static_cast<size_t>(begin), static_cast<size_t>(count));
}

template <typename T, typename Decode>
struct Reader {
  const T* data;
  Decode decode;
  double operator()(int64_t i) const { return decode(data[i]); }
  const T* from(int64_t i) const { return data + i; }
};

// Calls fn(read), where read(i) is number i and read.from(i) its address.
template <typename Fn>
void WithReader(const StoredNumbers& numbers, Fn&& fn) {
  const auto of = [&]<typename T, typename Decode>(const T* data, Decode decode) {
    fn(Reader<T, Decode>{data, decode});
  };
  const auto coded = [table = numbers.table, mask = numbers.mask](auto code) { return table[code & mask]; };
  const auto same = [](auto v) { return static_cast<double>(v); };
  const auto bf16 = [](uint16_t code) {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(code) << 16));
  };
  switch (numbers.form) {
    case NumberForm::kF64:
      return of(static_cast<const double*>(numbers.data), same);
    case NumberForm::kF32:
      return of(static_cast<const float*>(numbers.data), same);
    case NumberForm::kBf16:
      return of(static_cast<const uint16_t*>(numbers.data), bf16);
    case NumberForm::kCode16:
      return of(static_cast<const uint16_t*>(numbers.data), coded);
    case NumberForm::kCode8:
      return of(static_cast<const uint8_t*>(numbers.data), coded);
    case NumberForm::kI64:
      return of(static_cast<const int64_t*>(numbers.data), same);
  }
}

// True if the positions follow each other in memory.
bool AreContiguous(std::span<const int64_t> positions) {
  for (size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] != positions[i - 1] + 1) return false;
  }
  return true;
}

template <typename Fn>
void Replace(double* values, int64_t count, Fn&& fn) {
  for (int64_t i = 0; i < count; ++i) values[i] = fn(values[i]);
}

void Take(Taken taken, double* values, int64_t count) {
  constexpr double kMost = std::numeric_limits<double>::max();
  switch (taken) {
    case Taken::kValue:
      return;
    case Taken::kModulus:
      return Replace(values, count, [](double v) { return std::fabs(v); });
    case Taken::kFiniteModulus:
      return Replace(values, count, [](double v) { return std::fabs(v) <= kMost ? std::fabs(v) : 0; });
    case Taken::kNonzero:
      return Replace(values, count, [](double v) { return v != 0 ? 1.0 : 0.0; });
  }
}

// A row-major matrix in memory.
struct Panel {
  std::vector<double> values;
  int64_t rows = 0, columns = 0;

  const double* row(int64_t r) const { return values.data() + r * columns; }

  void Fill(const StoredNumbers& numbers, std::span<const int64_t> at_rows, std::span<const int64_t> at_columns,
            Taken taken) {
    rows = SizeOf(at_rows);
    columns = SizeOf(at_columns);
    values.resize(static_cast<size_t>(rows * columns));
    CopyNumbers(numbers, at_rows, at_columns, values.data(), columns);
    Take(taken, values.data(), rows * columns);
  }
};

using Four = double __attribute__((vector_size(32)));

// tile[kRows x kColumns] = packed a * packed b.
OPBYOP_CLONES void MicroTile(int64_t depth, const double* a, const double* b, double* tile) {
  Four sums[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Four b0;
    Four b1;
    std::memcpy(&b0, b + p * kColumns, sizeof(b0));
    std::memcpy(&b1, b + p * kColumns + 4, sizeof(b1));
    const double* row = a + p * kRows;
    for (int64_t i = 0; i < kRows; ++i) {
      const Four value = {row[i], row[i], row[i], row[i]};
      sums[i][0] += value * b0;
      sums[i][1] += value * b1;
    }
  }
  std::memcpy(tile, sums, sizeof(sums));
}

// c += a * b, by micro tiles. Positions beyond the end of a tile are zero.
void AddTiles(const Panel& a, const Panel& b, double* c) {
  const int64_t depth = b.rows;
  const auto padded = [](int64_t count, int64_t width) { return (count + width - 1) / width * width; };
  std::vector<double> packed_a(static_cast<size_t>(padded(std::min(kRowBlock, a.rows), kRows) * depth));
  std::vector<double> packed_b(static_cast<size_t>(padded(b.columns, kColumns) * depth));
  for (int64_t j = 0; j < b.columns; j += kColumns) {
    const int64_t width = std::min(kColumns, b.columns - j);
    for (int64_t p = 0; p < depth; ++p) {
      std::copy_n(b.row(p) + j, width, packed_b.data() + j * depth + p * kColumns);
    }
  }
  double tile[kRows * kColumns];
  for (int64_t i0 = 0; i0 < a.rows; i0 += kRowBlock) {
    const int64_t rows = std::min(kRowBlock, a.rows - i0);
    for (int64_t i = 0; i < padded(rows, kRows); ++i) {
      double* to = packed_a.data() + i / kRows * kRows * depth + i % kRows;
      for (int64_t p = 0; p < depth; ++p) to[p * kRows] = i < rows ? a.row(i0 + i)[p] : 0;
    }
    for (int64_t j = 0; j < b.columns; j += kColumns) {
      for (int64_t i = 0; i < rows; i += kRows) {
        MicroTile(depth, packed_a.data() + i * depth, packed_b.data() + j * depth, tile);
        const int64_t height = std::min(kRows, rows - i);
        const int64_t width = std::min(kColumns, b.columns - j);
        for (int64_t y = 0; y < height; ++y) {
          double* to = c + (i0 + i + y) * b.columns + j;
          for (int64_t x = 0; x < width; ++x) to[x] += tile[y * kColumns + x];
        }
      }
    }
  }
}

void AddByBlas(const Blas& blas, const Panel& a, const Panel& b, double* c) {
  constexpr int kRowMajor = 101, kAsItIs = 111;
  const auto m = static_cast<int>(a.rows), n = static_cast<int>(b.columns), k = static_cast<int>(b.rows);
  blas.dgemm(kRowMajor, kAsItIs, kAsItIs, m, n, k, 1, a.values.data(), k, b.values.data(), n, 1, c, n);
}

// Not part of a longer expression, so that the product is rounded before it is added.
double Product(double a, double b) { return a * b; }

// sums[t][j] += the sum over i of factors[t][i] * matrix[i][j], term by term in the order of i.
OPBYOP_CLONES void AddRows(int64_t sums_count, const double* factors, int64_t factors_stride, const double* matrix,
                           int64_t rows, int64_t columns, double* sums, int64_t sums_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    const double* row = matrix + i * columns;
    for (int64_t t = 0; t < sums_count; ++t) {
      const double factor = factors[t * factors_stride + i];
      double* to = sums + t * sums_stride;
      for (int64_t j = 0; j < columns; ++j) to[j] += Product(factor, row[j]);
    }
  }
}

// Freivalds' test of a library's product C of a narrow matrix S and a wide one W (docs/numerics/rules.md): r C must be
// (r S) W, for rows r of random signs. Its own sums are plain loops.
class ProductCheck {
 public:
  // Reads all of the narrow matrix once.
  ProductCheck(const GemmOperand& narrow, Taken taken) : rows_(SizeOf(narrow.outer)), depth_(SizeOf(narrow.inner)) {
    signs_.resize(static_cast<size_t>(kTests * rows_));
    weights_.resize(static_cast<size_t>(rows_));
    factors_.resize(static_cast<size_t>(kTests * depth_));
    moduli_.resize(static_cast<size_t>(depth_));
    const CounterStream stream(0x5eed);
    Panel panel;
    const int64_t block = std::clamp<int64_t>(kPanel / std::max<int64_t>(depth_, 1), 1, kRowBlock);
    for (int64_t i = 0; i < rows_; i += block) {
      const int64_t count = std::min(block, rows_ - i);
      panel.Fill(narrow.numbers, Part(narrow.outer, i, count), narrow.inner, taken);
      for (int64_t r = 0; r < count; ++r) Weigh(stream, panel.row(r), i + r);
      AddRows(kTests, signs_.data() + i, rows_, panel.values.data(), count, depth_, factors_.data(), depth_);
      Take(Taken::kModulus, panel.values.data(), count * depth_);
      AddRows(1, weights_.data() + i, rows_, panel.values.data(), count, depth_, moduli_.data(), depth_);
    }
  }

  // Sums of a block of columns of W.
  struct Sums {
    std::vector<double> products, moduli;
    explicit Sums(int64_t columns)
        : products(static_cast<size_t>(kTests * columns)), moduli(static_cast<size_t>(columns)) {}
  };

  // Adds the part of W that has the inner positions from `first` on. Changes the panel.
  void Add(int64_t first, Panel& wide, Sums& sums) const {
    AddRows(kTests, factors_.data() + first, depth_, wide.values.data(), wide.rows, wide.columns, sums.products.data(),
            wide.columns);
    Take(Taken::kModulus, wide.values.data(), wide.rows * wide.columns);
    AddRows(1, moduli_.data() + first, depth_, wide.values.data(), wide.rows, wide.columns, sums.moduli.data(),
            wide.columns);
  }

  // Whether the columns c[rows x columns] are the product, but for the rounding of sums in double.
  bool IsRight(const Sums& sums, const double* c, int64_t columns) const {
    std::vector<double> found(static_cast<size_t>(kTests * columns));
    AddRows(kTests, signs_.data(), rows_, c, rows_, columns, found.data(), columns);
    const double relative = 2.001 * static_cast<double>(rows_ + depth_) * 0x1p-53;
    for (int64_t i = 0; i < kTests * columns; ++i) {
      const double allowed = relative * sums.moduli[static_cast<size_t>(i % columns)];
      const auto at = static_cast<size_t>(i);
      if (!(std::fabs(found[at] - sums.products[at]) <= allowed)) return false;
    }
    return true;
  }

 private:
  static constexpr int64_t kTests = 3;
  static constexpr int64_t kPanel = int64_t{1} << 20;  // elements of the narrow matrix that are decoded at once

  // Gives a row random signs. They are scaled by the power of two that makes all rows about as large, so that the
  // rounding of large rows does not hide an error in small ones.
  void Weigh(const CounterStream& stream, const double* row, int64_t i) {
    double greatest = 0;
    for (int64_t p = 0; p < depth_; ++p) greatest = std::max(greatest, std::fabs(row[p]));
    const double weight = greatest > 0 ? std::ldexp(1.0, -std::ilogb(greatest)) : 1;
    weights_[static_cast<size_t>(i)] = weight;
    for (int64_t t = 0; t < kTests; ++t) {
      const bool negative = stream.Bits(static_cast<uint64_t>(i * kTests + t)) >> 63 != 0;
      signs_[static_cast<size_t>(t * rows_ + i)] = negative ? -weight : weight;
    }
  }

  int64_t rows_, depth_;
  std::vector<double> signs_, weights_, factors_, moduli_;
};

// Computes sums[narrow rows x wide rows] for a block of rows of the wide operand. Returns false if a library's product
// is wrong.
bool MultiplyBlock(const GemmOperand& narrow, const GemmOperand& wide, Taken taken, const Blas* blas,
                   const ProductCheck* check, std::vector<double>& sums) {
  const int64_t rows = SizeOf(narrow.outer), columns = SizeOf(wide.outer), depth = SizeOf(narrow.inner);
  // For so few rows or so short sums, packing tiles would cost more than it saves.
  const bool direct = rows < 3 || columns < 3 || depth < 3;
  sums.assign(static_cast<size_t>(rows * columns), 0.0);
  ProductCheck::Sums checked(check == nullptr ? 0 : columns);
  Panel w, s;
  for (int64_t p = 0; p < depth; p += kDepth) {
    const int64_t here = std::min(kDepth, depth - p);
    w.Fill(wide.numbers, Part(wide.inner, p, here), wide.outer, taken);
    for (int64_t i = 0; i < rows; i += kColumnBlock) {
      const int64_t count = std::min(kColumnBlock, rows - i);
      s.Fill(narrow.numbers, Part(narrow.outer, i, count), Part(narrow.inner, p, here), taken);
      double* to = sums.data() + i * columns;
      if (direct) {
        AddRows(count, s.values.data(), here, w.values.data(), here, columns, to, columns);
      } else if (blas != nullptr) {
        AddByBlas(*blas, s, w, to);
      } else {
        AddTiles(s, w, to);
      }
    }
    if (check != nullptr) check->Add(p, w, checked);
  }
  return check == nullptr || check->IsRight(checked, sums.data(), columns);
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
  const bool along_rows = AreContiguous(columns);
  const int64_t m = SizeOf(rows), n = SizeOf(columns);
  WithReader(numbers, [&](auto read) {
    if (along_rows) {
      for (int64_t r = 0; r < m; ++r) {
        const int64_t from = rows[static_cast<size_t>(r)] + columns[0];
        double* to = out + r * stride;
        for (int64_t c = 0; c < n; ++c) to[c] = read(from + c);
      }
      return;
    }
    // A tile is read along its columns and written along its rows, so that each cache line is read and written once:
    // lines a power of two apart would displace each other.
    constexpr int64_t kTileRows = 64, kTileColumns = 16;
    double tile[kTileColumns][kTileRows];
    for (int64_t r0 = 0; r0 < m; r0 += kTileRows) {
      const int64_t height = std::min(kTileRows, m - r0);
      const int64_t* const places = rows.data() + r0;
      for (int64_t c0 = 0; c0 < n; c0 += kTileColumns) {
        const int64_t width = std::min(kTileColumns, n - c0);
        for (int64_t c = 0; c < width; ++c) {
          const int64_t from = columns[static_cast<size_t>(c0 + c)];
          for (int64_t r = 0; r < height; ++r) tile[c][r] = read(from + places[r]);
        }
        for (int64_t r = 0; r < height; ++r) {
          double* to = out + (r0 + r) * stride + c0;
          for (int64_t c = 0; c < width; ++c) to[c] = tile[c][r];
        }
      }
    }
  });
}

void Gemm(const GemmOperand& a, const GemmOperand& b, double* c, const GemmOptions& options) {
  const bool b_is_wide = a.outer.size() < b.outer.size();
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
    std::vector<double> sums;
    for (int64_t j = begin * kColumnBlock; j < std::min(end * kColumnBlock, columns); j += kColumnBlock) {
      const int64_t count = std::min(kColumnBlock, columns - j);
      const GemmOperand block{wide.numbers, Part(wide.outer, j, count), wide.inner};
      const bool trusted = by_library && options.blas->trusted;
      const bool right = MultiplyBlock(narrow, block, options.taken, trusted ? options.blas : nullptr,
                                       trusted ? &*check : nullptr, sums);
      if (!right) {
        options.blas->trusted = false;
        MultiplyBlock(narrow, block, options.taken, nullptr, nullptr, sums);
      }
      for (int64_t i = 0; i < rows; ++i) {
        const double* from = sums.data() + i * count;
        if (b_is_wide) {
          std::copy_n(from, count, c + i * columns + j);
        } else {
          for (int64_t x = 0; x < count; ++x) c[(j + x) * rows + i] = from[x];
        }
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
