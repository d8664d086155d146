// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reference/bounds/bound.h"
#include "reference/bounds/comparer.h"
#include "reference/eval/dot.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/gemm.h"

namespace opbyop::reference {
namespace {

// A checksum is suspicious beyond this share of the sum of its elements' bounds. The errors of a right device, with random
// signs, stay below it in nearly all of millions of checksums.
constexpr double kSuspicious = 0.5;
constexpr int64_t kGroupsAtOnce = 64;

// Sums of a block of the product. One side, the rows of the checksums, is added up.
struct Side {
  StoredNumbers numbers;
  const Offsets* outer;
  const Offsets* inner;
  const Offsets* places;  // in the result
};

// Elements of some rows and columns of a block, as positions in the Contraction's outer offsets.
struct Places {
  size_t block = 0;
  std::vector<int64_t> rows, columns;
};

// The rows at `outer` of an operand, one after the other, in the form in which it is held.
Tensor Gather(const Tensor& t, int64_t base, const Offsets& outer, std::span<const int64_t> rows,
              const Offsets& inner) {
  const auto count = static_cast<int64_t>(rows.size()), k = static_cast<int64_t>(inner.size());
  const auto copy = [&](const std::byte* from, std::byte* to, size_t width) {
    for (const int64_t row : rows) {
      const int64_t first = base + outer[static_cast<size_t>(row)];
      for (const int64_t offset : inner) {
        std::memcpy(to, from + static_cast<size_t>(first + offset) * width, width);
        to += width;
      }
    }
  };
  if (t.stored() != nullptr) {
    const auto width = static_cast<size_t>(StoredBytes(t.type()));
    Buffer bytes(static_cast<size_t>(count * k) * width);
    copy(t.stored(), bytes.data(), width);
    return Tensor::OfStored(t.type(), {count, k}, std::move(bytes));
  }
  Tensor out = Tensor::Make(t.type(), {count, k});
  WithStorage(t.kind(), [&]<typename T>() {
    copy(reinterpret_cast<const std::byte*>(t.data<T>().data()), reinterpret_cast<std::byte*>(out.Mutable<T>().data()),
         sizeof(T));
  });
  return out;
}

class Judge {
 public:
  Judge(mlir::Operation* op, Evaluator& evaluator, const Values& operands, const Contraction& x, const Shape& shape,
        ElementType type, std::span<const std::byte> bytes, const OutputCriteria& criteria,
        std::span<const Alternative> alternatives)
      : op_(op),
        evaluator_(evaluator),
        operands_(operands),
        x_(x),
        shape_(shape),
        type_(type),
        bytes_(bytes),
        criteria_(criteria),
        alternatives_(alternatives.begin(), alternatives.end()) {}

  // Computes these elements and compares them.
  Expected<void> Exactly(const Places& at) {
    const auto nr = static_cast<int64_t>(at.rows.size()), nc = static_cast<int64_t>(at.columns.size());
    const auto stored = static_cast<size_t>(StoredBytes(type_));
    std::vector<std::byte> given(static_cast<size_t>(nr * nc) * stored);
    std::vector<int64_t> flat;
    for (const int64_t r : at.rows) {
      for (const int64_t c : at.columns) {
        flat.push_back(x_.blocks[at.block].result_base + x_.row_places[static_cast<size_t>(r)] +
                       x_.column_places[static_cast<size_t>(c)]);
        std::memcpy(given.data() + (flat.size() - 1) * stored,
                    bytes_.data() + static_cast<size_t>(flat.back()) * stored, stored);
      }
    }
    const Expected<Tensor> expected = Sums(at, evaluator_);
    if (!expected) return Unexpected(expected.error());
    AlternativeResults others(alternatives_, [&](const Alternative& way) -> Expected<Values> {
      Evaluator otherwise(evaluator_.module(), way.options);
      Expected<Tensor> sums = Sums(at, otherwise);
      if (!sums) return Unexpected(sums.error());
      return Values{std::move(*sums)};
    });
    OutputCriteria criteria = criteria_;
    criteria.alternatives = &others;
    Expected<Comparison> comparison = JudgeOutput(0, *expected, expected->shape(), given, criteria);
    if (!comparison) return Unexpected(comparison.error());
    for (Comparison::Element& element : comparison->worst) {
      element.index = IndexOf(flat[static_cast<size_t>(element.index[0] * nc + element.index[1])], shape_);
    }
    Measure(at, *expected);
    Add(std::move(*comparison));
    return {};
  }

  // By how much the bounds that a checksum assumes must be multiplied to reach those of the elements computed so far.
  double scale() const { return scale_; }
  double AssumedBound(double magnitude, double value, double terms) const {
    const FloatFormat& format = FormatOf(type_);
    const double unit = x_.precision.unit > 0 ? x_.precision.unit : AccumulationUnit(type_);
    return terms * unit * magnitude + 2 * format.UnitRoundoff() * std::fabs(value) + format.Ulp(0);
  }
  Comparison Take() { return std::move(*comparison_); }

 private:
  Expected<Tensor> Sums(const Places& at, Evaluator& evaluator) const {
    const ContractionBlock& block = x_.blocks[at.block];
    Contraction part{.lhs = Gather(x_.lhs, block.lhs_base, x_.lhs_outer, at.rows, x_.lhs_inner),
                     .rhs = Gather(x_.rhs, block.rhs_base, x_.rhs_outer, at.columns, x_.rhs_inner)};
    const auto nr = static_cast<int64_t>(at.rows.size()), nc = static_cast<int64_t>(at.columns.size());
    const auto k = static_cast<int64_t>(x_.lhs_inner.size());
    part.lhs_outer = OffsetsOf({nr}, {k});
    part.rhs_outer = OffsetsOf({nc}, {k});
    part.lhs_inner = part.rhs_inner = OffsetsOf({k}, {1});
    part.row_places = OffsetsOf({nr}, {nc});
    part.column_places = OffsetsOf({nc}, {1});
    part.blocks = {{0, 0, 0}};
    part.precision = x_.precision;
    const OpContext context{op_, op_->getName().getStringRef(), operands_, evaluator, nullptr};
    return Contract(context, std::move(part), type_, {nr, nc});
  }

  // Compares the bounds of these elements with those that a checksum assumes.
  void Measure(const Places& at, const Tensor& expected) {
    if (!expected.bound()) return;
    const ContractionBlock& block = x_.blocks[at.block];
    const Tensor a = Gather(x_.lhs, block.lhs_base, x_.lhs_outer, at.rows, x_.lhs_inner);
    const Tensor b = Gather(x_.rhs, block.rhs_base, x_.rhs_outer, at.columns, x_.rhs_inner);
    const auto k = static_cast<int64_t>(x_.lhs_inner.size());
    const Offsets inner = OffsetsOf({k}, {1});
    const Offsets rows = OffsetsOf({a.dim(0)}, {k}), columns = OffsetsOf({b.dim(0)}, {k});
    std::vector<double> magnitudes(static_cast<size_t>(expected.size()));
    Gemm({StoredNumbersOf(a), rows, inner}, {StoredNumbersOf(b), columns, inner}, magnitudes.data(),
         {.taken = Taken::kFiniteModulus});
    const std::span<const double> bounds = expected.bounds();
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      if (!std::isfinite(bounds[i])) continue;
      const double assumed = AssumedBound(magnitudes[i], expected.data<double>()[i], static_cast<double>(k));
      scale_ = std::max(scale_, bounds[i] / assumed);
    }
  }

  void Add(Comparison next) {
    if (!comparison_) {
      comparison_ = std::move(next);
      return;
    }
    Comparison& all = *comparison_;
    // Metrics of all elements together are those of the sample; the worst errors and the counts are of all.
    if (all.accepted && !next.accepted) all.rule = next.rule;
    all.accepted = all.accepted && next.accepted;
    all.constant = all.constant && next.constant;
    all.elements += next.elements;
    all.mismatches += next.mismatches;
    all.unbounded += next.unbounded;
    all.nan_mismatches += next.nan_mismatches;
    all.inf_mismatches += next.inf_mismatches;
    for (double Comparison::* most : {&Comparison::max_abs, &Comparison::max_rel, &Comparison::max_ulp,
                                      &Comparison::bound_ratio, &Comparison::precision_ratio}) {
      all.*most = std::max(all.*most, next.*most);
    }
    all.worst.insert(all.worst.end(), next.worst.begin(), next.worst.end());
    std::ranges::sort(all.worst, [](const Comparison::Element& a, const Comparison::Element& b) {
      return a.bound_ratio != b.bound_ratio ? a.bound_ratio > b.bound_ratio : a.index < b.index;
    });
    if (all.worst.size() > WorstList::kMost) all.worst.resize(WorstList::kMost);
  }

  mlir::Operation* op_;
  Evaluator& evaluator_;
  const Values& operands_;
  const Contraction& x_;
  const Shape& shape_;
  ElementType type_;
  std::span<const std::byte> bytes_;
  const OutputCriteria& criteria_;
  std::vector<Alternative> alternatives_;
  std::optional<Comparison> comparison_;
  double scale_ = 0;
};

// A checksum of rows `group`, `group + 1`, ... of a block that is off.
struct Suspicion {
  size_t block;
  int64_t group, column;
  double share;  // of the sum of the bounds; infinite if the output or a sum is no number
};

struct Checksums {
  int64_t rows = 0;         // that share one
  bool transposed = false;  // they are columns of the product
  std::vector<Suspicion> suspicious;
};

// Signs of the rows of a group: a quarter of them is negative, so that an error that all elements have does not cancel.
std::vector<double> SignsOf(int64_t rows, uint64_t seed) {
  std::vector<double> signs(static_cast<size_t>(rows), 1.0);
  const std::vector<int64_t> order = CounterStream(seed).Permutation(rows);
  for (int64_t i = 0; i < rows / 4; ++i) signs[static_cast<size_t>(order[static_cast<size_t>(i)])] = -1;
  return signs;
}

// Compares the checksums of one block.
void CheckBlock(const Judge& judge, size_t block, const Side& added, const Side& other, const StoredNumbers& output,
                double scale, uint64_t seed, int threads, Checksums& sums) {
  const auto m = static_cast<int64_t>(added.outer->size()), n = static_cast<int64_t>(other.outer->size());
  const auto k = static_cast<int64_t>(added.inner->size());
  const int64_t groups = (m + sums.rows - 1) / sums.rows;
  const auto width = static_cast<size_t>(std::max(k, n));
  std::vector<double> row(width), values, magnitudes;
  const Offsets inner = OffsetsOf({k}, {1});
  const Offsets zero = {0};
  for (int64_t first = 0; first < groups; first += kGroupsAtOnce) {
    const int64_t count = std::min(kGroupsAtOnce, groups - first);
    std::vector<double> operand(static_cast<size_t>(count * k)), moduli(operand.size());
    std::vector<double> got(static_cast<size_t>(count * n)), sizes(got.size());
    for (int64_t g = 0; g < count; ++g) {
      const int64_t begin = (first + g) * sums.rows, rows = std::min(sums.rows, m - begin);
      const std::vector<double> signs = SignsOf(rows, seed + static_cast<uint64_t>(first + g));
      for (int64_t i = 0; i < rows; ++i) {
        const double sign = signs[static_cast<size_t>(i)];
        const auto at = static_cast<size_t>(begin + i);
        CopyNumbers(added.numbers.From((*added.outer)[at]), zero, *added.inner, row.data(), k);
        for (int64_t p = 0; p < k; ++p) {
          operand[static_cast<size_t>(g * k + p)] += sign * row[static_cast<size_t>(p)];
          moduli[static_cast<size_t>(g * k + p)] += std::fabs(row[static_cast<size_t>(p)]);
        }
        CopyNumbers(output.From((*added.places)[at]), zero, *other.places, row.data(), n);
        for (int64_t j = 0; j < n; ++j) {
          got[static_cast<size_t>(g * n + j)] += sign * row[static_cast<size_t>(j)];
          sizes[static_cast<size_t>(g * n + j)] += std::fabs(row[static_cast<size_t>(j)]);
        }
      }
    }
    values.assign(got.size(), 0);
    magnitudes.assign(got.size(), 0);
    const Offsets outer = OffsetsOf({count}, {k});
    const GemmOperand right{other.numbers, *other.outer, *other.inner};
    Gemm({{operand.data()}, outer, inner}, right, values.data(), {.blas = InstalledBlas(), .threads = threads});
    Gemm({{moduli.data()}, outer, inner}, right, magnitudes.data(),
         {.taken = Taken::kFiniteModulus, .blas = InstalledBlas(), .threads = threads});
    for (int64_t g = 0; g < count; ++g) {
      const int64_t begin = (first + g) * sums.rows;
      const auto rows = static_cast<double>(std::min(sums.rows, m - begin));
      for (int64_t j = 0; j < n; ++j) {
        const auto i = static_cast<size_t>(g * n + j);
        const double off = std::fabs(got[i] - values[i]);
        const double smallest = rows * judge.AssumedBound(0, 0, 1);
        const double bounds = scale * (judge.AssumedBound(magnitudes[i], sizes[i], static_cast<double>(k)) + smallest);
        if (off <= kSuspicious * bounds) continue;
        const double share = std::isfinite(off) ? off / bounds : std::numeric_limits<double>::infinity();
        sums.suspicious.push_back({block, begin, j, share});
      }
    }
  }
}

}  // namespace

std::vector<int64_t> StratifiedPositions(int64_t extent, int64_t count, uint64_t seed) {
  if (extent <= count) {
    std::vector<int64_t> all(static_cast<size_t>(std::max<int64_t>(extent, 0)));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    return all;
  }
  const CounterStream stream(seed);
  std::set<int64_t> chosen = {0, extent - 1};
  uint64_t drawn = 0;
  const auto add = [&](int64_t position) {
    if (position >= 0 && position < extent && static_cast<int64_t>(chosen.size()) < count) chosen.insert(position);
  };
  for (const int64_t step : {8, 16, 32, 128}) {
    const int64_t multiples = (extent - 1) / step;
    if (multiples < 1) continue;
    const auto some = static_cast<int64_t>(stream.Below(drawn++, static_cast<uint64_t>(multiples)));
    for (const int64_t multiple : {int64_t{1}, multiples, some + 1}) {
      add(multiple * step - 1);
      add(multiple * step);
    }
  }
  while (static_cast<int64_t>(chosen.size()) < count) {
    chosen.insert(static_cast<int64_t>(stream.Below(drawn++, static_cast<uint64_t>(extent))));
  }
  return {chosen.begin(), chosen.end()};
}

bool IsProduct(mlir::Operation* entry) {
  mlir::Block& body = entry->getRegion(0).front();
  mlir::Operation* terminator = body.getTerminator();
  if (terminator->getNumOperands() != 1) return false;
  mlir::Operation* op = terminator->getOperand(0).getDefiningOp();
  if (op == nullptr || op->getNumOperands() != 2) return false;
  const llvm::StringRef name = op->getName().getStringRef();
  if (name != "stablehlo.dot_general" && name != "stablehlo.dot") return false;
  const auto narrow = [](mlir::Type type) {
    const std::optional<ElementType> element = ElementTypeOf(type);
    return element && KindOf(*element) == ElementKind::kFloat && FormatOf(*element).precision < 53;
  };
  return narrow(op->getResult(0).getType()) && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return operand.getDefiningOp() == nullptr && narrow(operand.getType());
         });
}

Expected<Comparison> JudgeProduct(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                  const Shape& shape, std::span<const std::byte> bytes, const OutputCriteria& criteria,
                                  std::span<const Alternative> alternatives, uint64_t seed,
                                  const ProductLimits& limits) {
  mlir::Operation* op = entry->getRegion(0).front().getTerminator()->getOperand(0).getDefiningOp();
  Values operands;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(arguments[llvm::cast<mlir::BlockArgument>(operand).getArgNumber()]);
  }
  const OpContext context{op, op->getName().getStringRef(), operands, evaluator, nullptr};
  const Expected<DotSums> sums = SumsOfProduct(context);
  if (!sums) return Unexpected(sums.error());
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const Contraction& x = sums->contraction;
  if (shape != sums->shape || static_cast<int64_t>(bytes.size()) != SizeOf(shape) * StoredBytes(*type)) {
    return MakeError(ExitCode::kBadInput, "output 0: has another shape than the product");
  }
  const auto m = static_cast<int64_t>(x.lhs_outer.size()), n = static_cast<int64_t>(x.rhs_outer.size());
  const auto k = static_cast<int64_t>(x.lhs_inner.size()), blocks = static_cast<int64_t>(x.blocks.size());
  Judge judge(op, evaluator, operands, x, sums->shape, *type, bytes, criteria, alternatives);
  for (const int64_t block : StratifiedPositions(blocks, limits.sampled_blocks, seed)) {
    const Places places{static_cast<size_t>(block), StratifiedPositions(m, limits.sampled_rows, seed + 1),
                        StratifiedPositions(n, limits.sampled_columns, seed + 2)};
    if (const Expected<void> done = judge.Exactly(places); !done) return Unexpected(done.error());
  }
  // The shorter side is added up where it has enough rows: its checksums take less memory.
  Checksums checks{.rows = limits.fewest_rows};
  checks.transposed = m < n ? m < 4 * limits.fewest_rows : n >= 4 * limits.fewest_rows;
  const int64_t added = checks.transposed ? n : m, other = checks.transposed ? m : n;
  const auto cost = [&] {
    const int64_t groups = (added + checks.rows - 1) / checks.rows;
    return 2.0 * static_cast<double>(blocks) * static_cast<double>(groups) * static_cast<double>(other) *
           static_cast<double>(k);
  };
  while (cost() > limits.checksum_products && checks.rows < added) checks.rows *= 2;
  Buffer copy(bytes.size());
  std::ranges::copy(bytes, copy.data());
  const Tensor output = Tensor::OfStored(*type, shape, std::move(copy));
  for (size_t b = 0; b < x.blocks.size(); ++b) {
    const ContractionBlock& block = x.blocks[b];
    const Side rows{StoredNumbersOf(x.lhs).From(block.lhs_base), &x.lhs_outer, &x.lhs_inner, &x.row_places};
    const Side columns{StoredNumbersOf(x.rhs).From(block.rhs_base), &x.rhs_outer, &x.rhs_inner, &x.column_places};
    CheckBlock(judge, b, checks.transposed ? columns : rows, checks.transposed ? rows : columns,
               StoredNumbersOf(output).From(block.result_base), judge.scale(), seed + 3 + b,
               evaluator.options().threads, checks);
  }
  std::ranges::sort(checks.suspicious, [](const Suspicion& a, const Suspicion& b) {
    return std::tuple(-a.share, a.block, a.group, a.column) < std::tuple(-b.share, b.block, b.group, b.column);
  });
  const double each = static_cast<double>(checks.rows) * static_cast<double>(k);
  const auto affordable = static_cast<size_t>(std::max(1.0, limits.exact_products / each));
  double left_out = kSuspicious;
  if (checks.suspicious.size() > affordable) {
    left_out = checks.suspicious[affordable].share;
    checks.suspicious.resize(affordable);
  }
  std::map<std::pair<size_t, int64_t>, std::vector<int64_t>> by_group;
  for (const Suspicion& s : checks.suspicious) by_group[{s.block, s.group}].push_back(s.column);
  for (auto& [at, across] : by_group) {
    std::vector<int64_t> along;
    for (int64_t i = at.second; i < std::min(at.second + checks.rows, added); ++i) along.push_back(i);
    std::ranges::sort(across);
    const Places places = checks.transposed ? Places{at.first, across, along} : Places{at.first, along, across};
    if (const Expected<void> done = judge.Exactly(places); !done) return Unexpected(done.error());
  }
  Comparison comparison = judge.Take();
  comparison.judged = fmt::format("sample and checksums of {} {}", std::min(checks.rows, added),
                                  checks.transposed ? "columns" : "rows");
  comparison.least_error = (1 + left_out) * static_cast<double>(std::min(checks.rows, added));
  return comparison;
}

}  // namespace opbyop::reference
