// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/product_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/bounds/elementwise.h"
#include "reference/tensor/clones.h"
#include "reference/tensor/few_rows.h"

namespace opbyop::reference {
namespace {

// The greatest share of nonzero elements for which this algorithm is faster than a dense one.
constexpr double kSparse = 0.125;

// One operand of a block. Row (or column) `o` has the elements numbers[outer[o] + inner[p]].
struct Side {
  StoredNumbers numbers;
  const Offsets &outer, &inner;
};

constexpr int64_t kDecodedAtOnce = int64_t{1} << 16;  // elements, which fit the second-level cache
constexpr size_t kTermsAtOnce = size_t{1} << 20;
constexpr int64_t kRowsOfTile = 64;
constexpr int64_t kFewestColumnsOfTile = 16, kMostColumnsOfTile = 128;

// A nonzero element of the sparse operand and the number of its inner position among those that are used.
struct Term {
  int64_t position;
  double factor;
};

// Consecutive rows of the sparse operand. Row number r has terms[first[r]] to terms[first[r + 1] - 1].
struct SparseRows {
  int64_t begin = 0;
  std::vector<size_t> first = {0};
  std::vector<Term> terms;
  std::vector<int64_t> used;  // the inner positions that have a term, ascending

  int64_t count() const { return static_cast<int64_t>(first.size()) - 1; }
};

// Reads rows from number `begin` on, until they have many terms or there are no more.
SparseRows RowsFrom(const Side& sparse, int64_t begin) {
  const auto all = static_cast<int64_t>(sparse.outer.size()), depth = static_cast<int64_t>(sparse.inner.size());
  // Several rows at once: where they lie next to each other, a cache line has an element of each.
  const int64_t block = std::clamp<int64_t>(kDecodedAtOnce / std::max<int64_t>(depth, 1), 1, 64);
  std::vector<double> numbers(static_cast<size_t>(block * depth));
  SparseRows rows{.begin = begin};
  std::vector<int64_t> number_of(static_cast<size_t>(depth), -1);
  for (int64_t o = begin; o < all && rows.terms.size() < kTermsAtOnce; o += block) {
    const int64_t count = std::min(block, all - o);
    CopyNumbers(sparse.numbers, std::span(sparse.outer).subspan(static_cast<size_t>(o), static_cast<size_t>(count)),
                sparse.inner, numbers.data(), depth);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t p = 0; p < depth; ++p) {
        const double factor = numbers[static_cast<size_t>(r * depth + p)];
        if (factor == 0) continue;
        rows.terms.push_back({p, factor});
        number_of[static_cast<size_t>(p)] = 0;
      }
      rows.first.push_back(rows.terms.size());
    }
  }
  for (int64_t p = 0; p < depth; ++p) {
    if (number_of[static_cast<size_t>(p)] < 0) continue;
    number_of[static_cast<size_t>(p)] = static_cast<int64_t>(rows.used.size());
    rows.used.push_back(p);
  }
  for (Term& term : rows.terms) term.position = number_of[static_cast<size_t>(term.position)];
  return rows;
}

// The sums of some rows of the sparse operand with some of the dense one, which are its columns.
struct Tile {
  int64_t rows = 0, columns = 0;
  std::vector<double> values, magnitudes, terms;
};

// `first` are those of the tile's rows; `dense` has the columns' numbers for each used position.
OPBYOP_CLONES void AddTerms(const size_t* first, const Term* all, const double* dense, Tile& tile) {
  const int64_t columns = tile.columns;
  for (int64_t r = 0; r < tile.rows; ++r) {
    double* values = tile.values.data() + r * columns;
    double* magnitudes = tile.magnitudes.data() + r * columns;
    double* terms = tile.terms.data() + r * columns;
    for (int64_t c = 0; c < columns; ++c) values[c] = magnitudes[c] = terms[c] = 0;
    for (size_t t = first[r]; t < first[r + 1]; ++t) {
      const double factor = all[t].factor;
      const double* numbers = dense + all[t].position * columns;
      for (int64_t c = 0; c < columns; ++c) {
        const double product = factor * numbers[c];
        values[c] += product;
        magnitudes[c] += std::fabs(product);
        terms[c] += product != 0 ? 1 : 0;
      }
    }
  }
}

// Calls store(first sparse row, first dense row, tile) for all sums. A cache line of the dense operand, which holds
// either neighbouring rows or neighbouring positions, is read once for each of the tiles.
template <typename Store>
void TilesOfSums(const Side& sparse, const Side& dense, Store&& store) {
  const auto all = static_cast<int64_t>(sparse.outer.size()), n = static_cast<int64_t>(dense.outer.size());
  Tile tile;
  std::vector<double> numbers;
  for (int64_t begin = 0; begin < all;) {
    const SparseRows rows = RowsFrom(sparse, begin);
    begin += rows.count();
    Offsets positions;
    positions.reserve(rows.used.size());
    for (const int64_t p : rows.used) positions.push_back(dense.inner[static_cast<size_t>(p)]);
    const auto used = static_cast<int64_t>(positions.size());
    const int64_t width =
        std::clamp(kDecodedAtOnce / std::max<int64_t>(used, 1), kFewestColumnsOfTile, kMostColumnsOfTile);
    for (int64_t d = 0; d < n; d += width) {
      tile.columns = std::min(width, n - d);
      numbers.resize(static_cast<size_t>(used * tile.columns));
      CopyNumbers(dense.numbers, positions,
                  std::span(dense.outer).subspan(static_cast<size_t>(d), static_cast<size_t>(tile.columns)),
                  numbers.data(), tile.columns);
      for (std::vector<double>* sums : {&tile.values, &tile.magnitudes, &tile.terms}) {
        sums->resize(static_cast<size_t>(kRowsOfTile * tile.columns));
      }
      for (int64_t r = 0; r < rows.count(); r += kRowsOfTile) {
        tile.rows = std::min(kRowsOfTile, rows.count() - r);
        AddTerms(rows.first.data() + r, rows.terms.data(), numbers.data(), tile);
        store(rows.begin + r, d, tile);
      }
    }
  }
}

// Elements of a matrix that take longer to read than the memory for one pass takes to prepare.
constexpr size_t kWorthOnePass = size_t{1} << 15;

struct FactsOfBlock {
  int64_t zeros, open;  // numbers that are zero, and that are not finite
};

OPBYOP_CLONES FactsOfBlock FactsOfNumbers(std::span<const double> numbers) {
  constexpr uint64_t kExponent = 0x7FF0000000000000;
  FactsOfBlock facts{0, 0};
  for (const double v : numbers) {
    facts.zeros += v == 0 ? 1 : 0;
    facts.open += (std::bit_cast<uint64_t>(v) & kExponent) == kExponent ? 1 : 0;
  }
  return facts;
}

}  // namespace

OperandFacts FactsOf(const Tensor& t) {
  int64_t zeros = 0;
  bool finite = true;
  if (t.kind() == ElementKind::kComplex) {
    ForValues<Complex>(t, [&](int64_t, std::span<const Complex> values) {
      zeros += std::ranges::count(values, Complex());
      finite = finite && FactsOfNumbers({reinterpret_cast<const double*>(values.data()), 2 * values.size()}).open == 0;
    });
  } else {
    ForValues<double>(t, [&](int64_t, std::span<const double> values) {
      const FactsOfBlock facts = FactsOfNumbers(values);
      zeros += facts.zeros;
      finite = finite && facts.open == 0;
    });
  }
  return {t.size() == 0 ? 1 : 1 - static_cast<double>(zeros) / static_cast<double>(t.size()), finite};
}

std::optional<ProductSums> SparseProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs,
                                          const OperandFacts& lhs_facts, const OperandFacts& rhs_facts, int64_t size) {
  for (const Tensor* t : {&lhs, &rhs}) {
    if (t->kind() != ElementKind::kFloat || FormatOf(t->type()).precision >= 53 || HasErrors(*t)) return std::nullopt;
  }
  const double left = lhs_facts.nonzero_share;
  const double right = rhs_facts.nonzero_share;
  if (std::min(left, right) > kSparse || !lhs_facts.finite || !rhs_facts.finite) return std::nullopt;
  const auto count = static_cast<size_t>(size);
  ProductSums sums{PooledNumbers(count), PooledNumbers(count), PooledNumbers(count), {}};
  for (const ContractionBlock& block : x.blocks) {
    const Side a{StoredNumbersOf(lhs).From(block.lhs_base), x.lhs_outer, x.lhs_inner};
    const Side b{StoredNumbersOf(rhs).From(block.rhs_base), x.rhs_outer, x.rhs_inner};
    const bool by_rows = left <= right;
    const Offsets& sparse_places = by_rows ? x.row_places : x.column_places;
    const Offsets& dense_places = by_rows ? x.column_places : x.row_places;
    TilesOfSums(by_rows ? a : b, by_rows ? b : a, [&](int64_t row, int64_t column, const Tile& tile) {
      for (int64_t c = 0; c < tile.columns; ++c) {
        const int64_t base = block.result_base + dense_places[static_cast<size_t>(column + c)];
        for (int64_t r = 0; r < tile.rows; ++r) {
          const auto to = static_cast<size_t>(base + sparse_places[static_cast<size_t>(row + r)]);
          const auto from = static_cast<size_t>(r * tile.columns + c);
          sums.values[to] = tile.values[from];
          sums.magnitudes[to] = tile.magnitudes[from];
          sums.terms[to] = tile.terms[from];
        }
      }
    });
  }
  return sums;
}

std::optional<ProductSums> ProductsOfFewRows(const Contraction& x, const Tensor& lhs, const Tensor& rhs, int64_t size,
                                             int threads, OperandFacts& lhs_facts, OperandFacts& rhs_facts) {
  for (const Tensor* t : {&lhs, &rhs}) {
    if (t->kind() != ElementKind::kFloat || HasErrors(*t)) return std::nullopt;
  }
  const bool rows_are_left = x.lhs_outer.size() <= x.rhs_outer.size();
  const Tensor& rows = rows_are_left ? lhs : rhs;
  const Tensor& matrix = rows_are_left ? rhs : lhs;
  const Offsets& rows_outer = rows_are_left ? x.lhs_outer : x.rhs_outer;
  const Offsets& rows_inner = rows_are_left ? x.lhs_inner : x.rhs_inner;
  const Offsets& matrix_outer = rows_are_left ? x.rhs_outer : x.lhs_outer;
  const Offsets& matrix_inner = rows_are_left ? x.rhs_inner : x.lhs_inner;
  const Offsets& row_places = rows_are_left ? x.row_places : x.column_places;
  const Offsets& column_places = rows_are_left ? x.column_places : x.row_places;
  const size_t each = matrix_outer.size() * matrix_inner.size(), elements = x.blocks.size() * each;
  if (rows_outer.size() > kFewRows || each < kWorthOnePass || elements != static_cast<size_t>(matrix.size())) {
    return std::nullopt;
  }
  const auto count = static_cast<size_t>(size);
  ProductSums all{PooledNumbers(count), PooledNumbers(count), PooledNumbers(count), PooledNumbers(count)};
  const StoredNumbers rows_numbers = StoredNumbersOf(rows), matrix_numbers = StoredNumbersOf(matrix);
  int64_t zeros = 0;
  bool finite = true;
  for (const ContractionBlock& block : x.blocks) {
    const StoredNumbers a = rows_numbers.From(rows_are_left ? block.lhs_base : block.rhs_base);
    const StoredNumbers b = matrix_numbers.From(rows_are_left ? block.rhs_base : block.lhs_base);
    const RowSums sums = SumsOfRows({a, rows_outer, rows_inner}, {b, matrix_outer, matrix_inner}, threads);
    zeros += sums.zeros;
    finite = finite && sums.finite;
    for (size_t i = 0; i < rows_outer.size(); ++i) {
      for (size_t j = 0; j < matrix_outer.size(); ++j) {
        const auto to = static_cast<size_t>(block.result_base + row_places[i] + column_places[j]);
        const size_t from = i * matrix_outer.size() + j;
        all.values[to] = sums.values[from];
        all.magnitudes[to] = sums.magnitudes[from];
        all.terms[to] = sums.terms[from];
        all.largest[to] = sums.factors[i] * sums.greatest[j];
      }
    }
  }
  OperandFacts& matrix_facts = rows_are_left ? rhs_facts : lhs_facts;
  (rows_are_left ? lhs_facts : rhs_facts) = FactsOf(rows);
  matrix_facts = {elements == 0 ? 1 : 1 - static_cast<double>(zeros) / static_cast<double>(elements), finite};
  return all;
}

}  // namespace opbyop::reference
