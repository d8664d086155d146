// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "protocol/judging_limits.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/comparer.h"
#include "reference/eval/dot.h"
#include "reference/eval/ops/convolution.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/gemm.h"
#include "reference/worker/entry_op.h"
#include "reference/worker/gathered_rows.h"
#include "reference/worker/integer_checksums.h"
#include "reference/worker/product_checksums.h"

namespace opbyop::reference {
namespace {

// Elements of some rows and columns of a block, as positions in the Contraction's outer offsets.
struct Places {
  size_t block = 0;
  std::vector<int64_t> rows, columns;
};

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
        alternatives_(alternatives.begin(), alternatives.end()) {
    if (KindOf(type) != ElementKind::kFloat) return;  // integers are exact
    bound_ = {.unit = x.precision.unit > 0 ? x.precision.unit : AccumulationUnit(type),
              .roundoff = FormatOf(type).UnitRoundoff(),
              .smallest = FormatOf(type).Ulp(0)};
  }

  // Computes these elements and compares them.
  Expected<void> Exactly(const Places& at) {
    Offsets columns;
    for (const int64_t c : at.columns) columns.push_back(x_.column_places[static_cast<size_t>(c)]);
    const int64_t base = x_.blocks[at.block].result_base;
    const Tensor given = GatherStoredRows(type_, bytes_.data(), base, x_.row_places, at.rows, columns);
    const Contraction part = Part(at);
    const Expected<Tensor> expected = Sums(part, evaluator_);
    if (!expected) return Unexpected(expected.error());
    AlternativeResults others(alternatives_, [&](const Alternative& way) -> Expected<Values> {
      Evaluator otherwise(evaluator_.module(), way.options);
      Expected<Tensor> sums = Sums(part, otherwise);
      if (!sums) return Unexpected(sums.error());
      return Values{std::move(*sums)};
    });
    OutputCriteria criteria = criteria_;
    criteria.alternatives = &others;
    const std::span<const std::byte> got(given.stored(), static_cast<size_t>(given.size() * StoredBytes(type_)));
    Expected<Comparison> comparison = JudgeOutput(0, *expected, expected->shape(), got, criteria);
    if (!comparison) return Unexpected(comparison.error());
    for (Comparison::Element& element : comparison->worst) {
      const int64_t row = x_.row_places[static_cast<size_t>(at.rows[static_cast<size_t>(element.index[0])])];
      element.index = IndexOf(base + row + columns[static_cast<size_t>(element.index[1])], shape_);
    }
    Measure(part, *expected);
    Add(std::move(*comparison));
    return {};
  }

  // The bounds of all elements, multiplied so that they reach those of the elements computed so far.
  const AssumedBound& bound() const { return bound_; }
  Comparison Take() { return std::move(*comparison_); }

 private:
  // The product of these rows and columns alone.
  Contraction Part(const Places& at) const {
    const ContractionBlock& block = x_.blocks[at.block];
    Contraction part{.lhs = GatherRows(x_.lhs, block.lhs_base, x_.lhs_outer, at.rows, x_.lhs_inner),
                     .rhs = GatherRows(x_.rhs, block.rhs_base, x_.rhs_outer, at.columns, x_.rhs_inner)};
    const int64_t nr = part.lhs.dim(0), nc = part.rhs.dim(0), k = part.lhs.dim(1);
    part.lhs_outer = OffsetsOf({nr}, {k});
    part.rhs_outer = OffsetsOf({nc}, {k});
    part.lhs_inner = part.rhs_inner = OffsetsOf({k}, {1});
    part.row_places = OffsetsOf({nr}, {nc});
    part.column_places = OffsetsOf({nc}, {1});
    part.blocks = {{0, 0, 0}};
    part.precision = x_.precision;
    return part;
  }

  Expected<Tensor> Sums(const Contraction& part, Evaluator& evaluator) const {
    const OpContext context{op_, op_->getName().getStringRef(), operands_, evaluator, nullptr};
    return Contract(context, part, type_, {part.lhs.dim(0), part.rhs.dim(0)});
  }

  // Compares the bounds of these elements with those that a checksum assumes.
  void Measure(const Contraction& part, const Tensor& expected) {
    if (!expected.bound()) return;
    std::vector<double> magnitudes(static_cast<size_t>(expected.size()));
    Gemm({StoredNumbersOf(part.lhs), part.lhs_outer, part.lhs_inner},
         {StoredNumbersOf(part.rhs), part.rhs_outer, part.rhs_inner}, magnitudes.data(),
         {.taken = Taken::kFiniteModulus});
    const std::span<const double> bounds = expected.bounds();
    const auto terms = static_cast<double>(part.lhs_inner.size());
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      if (!std::isfinite(bounds[i])) continue;
      bound_.scale =
          std::max(bound_.scale, bounds[i] / bound_.Unscaled(magnitudes[i], expected.data<double>()[i], terms));
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
  AssumedBound bound_;
  std::optional<Comparison> comparison_;
};

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

std::vector<int64_t> StratifiedPlaces(const Shape& extents, int64_t count, uint64_t seed) {
  const int64_t size = SizeOf(extents);
  if (extents.size() == 1 || size <= count) return StratifiedPositions(size, count, seed);
  const Shape strides = StridesOf(extents);
  std::vector<std::vector<int64_t>> positions;
  positions.reserve(extents.size());
  for (size_t d = 0; d < extents.size(); ++d) {
    positions.push_back(StratifiedPositions(extents[d], count, seed + (d << 32)));
  }
  std::set<int64_t> chosen = {0, size - 1};
  const auto add = [&](auto&& choice) {
    int64_t place = 0;
    for (size_t d = 0; d < extents.size(); ++d) place += positions[d][choice(d)] * strides[d];
    if (static_cast<int64_t>(chosen.size()) < count) chosen.insert(place);
  };
  for (uint64_t corner = 0; corner < uint64_t{1} << std::min<size_t>(extents.size(), 6); ++corner) {
    add([&](size_t d) { return (corner >> d & 1) != 0 ? positions[d].size() - 1 : 0; });
  }
  const CounterStream stream(seed);
  uint64_t drawn = 0;
  while (static_cast<int64_t>(chosen.size()) < count) {
    add([&](size_t d) { return stream.Below(drawn++, positions[d].size()); });
  }
  return {chosen.begin(), chosen.end()};
}

bool IsProduct(mlir::Operation* entry) {
  mlir::Operation* op = ReturnedOp(entry);
  if (op == nullptr || op->getNumOperands() != 2) return false;
  const llvm::StringRef name = op->getName().getStringRef();
  if (name != "stablehlo.dot_general" && name != "stablehlo.dot" && name != "stablehlo.convolution") return false;
  const std::optional<ElementType> result = ElementTypeOf(op->getResult(0).getType());
  const auto judged = [&](std::optional<ElementType> type) {
    if (!type || KindOf(*type) != KindOf(*result)) return false;
    return KindOf(*type) == ElementKind::kInteger ||
           (KindOf(*type) == ElementKind::kFloat && FormatOf(*type).precision < 53);
  };
  return judged(result) && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return operand.getDefiningOp() == nullptr && judged(ElementTypeOf(operand.getType()));
         });
}

Expected<DotSums> SumsOfEntry(const OpContext& context) {
  return context.name == "stablehlo.convolution" ? SumsOfConvolution(context) : SumsOfProduct(context);
}

Expected<Comparison> JudgeProduct(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                  const Shape& shape, std::span<const std::byte> bytes, const OutputCriteria& criteria,
                                  std::span<const Alternative> alternatives, uint64_t seed,
                                  const ProductLimits& limits) {
  const Expected<EntryOp> product = EntryOp::Of(entry, arguments, evaluator);
  if (!product) return Unexpected(product.error());
  const OpContext context = product->In(evaluator);
  const Expected<DotSums> sums = SumsOfEntry(context);
  if (!sums) return Unexpected(sums.error());
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const Contraction& x = sums->contraction;
  if (shape != sums->shape || static_cast<int64_t>(bytes.size()) != SizeOf(shape) * StoredBytes(*type)) {
    return MakeError(ExitCode::kBadInput, "output 0: has another shape than the product");
  }
  const auto m = static_cast<int64_t>(x.lhs_outer.size()), n = static_cast<int64_t>(x.rhs_outer.size());
  const auto blocks = static_cast<int64_t>(x.blocks.size());
  const Shape row_extents = sums->row_extents.empty() ? Shape{m} : sums->row_extents;
  Judge judge(product->op, evaluator, product->operands, x, sums->shape, *type, bytes, criteria, alternatives);
  for (const int64_t block : StratifiedPositions(blocks, limits.sampled_blocks, seed)) {
    const Places places{static_cast<size_t>(block), StratifiedPlaces(row_extents, limits.sampled_rows, seed + 1),
                        StratifiedPositions(n, limits.sampled_columns, seed + 2)};
    if (const Expected<void> done = judge.Exactly(places); !done) return Unexpected(done.error());
  }
  const bool exact = KindOf(*type) == ElementKind::kInteger;
  const double products = exact ? protocol::kMultiplyAddsPerStep : 1;  // those of integers take as much longer
  const ChecksumRows rows =
      RowsOfChecksums(x, exact ? limits.integer_rows : limits.fewest_rows, limits.checksum_products / products);
  const int threads = evaluator.options().threads;
  std::vector<Suspicion> suspicious =
      exact ? WrongIntegerChecksums(x, *type, bytes.data(), rows, seed + 3, threads)
            : SuspiciousChecksums(x, StoredNumbersOf(*type, bytes.data()), judge.bound(), rows, seed + 3, threads);
  const double each = products * static_cast<double>(rows.count) * static_cast<double>(x.lhs_inner.size());
  const auto affordable = static_cast<size_t>(std::max(1.0, limits.exact_products / each));
  double left_out = kSuspiciousShare;
  if (suspicious.size() > affordable) {
    left_out = suspicious[affordable].share;
    suspicious.resize(affordable);
  }
  std::map<std::pair<size_t, int64_t>, std::vector<int64_t>> by_rows;
  for (const Suspicion& s : suspicious) by_rows[{s.block, s.first}].push_back(s.across);
  for (auto& [at, across] : by_rows) {
    std::vector<int64_t> along;
    for (int64_t i = at.second; i < std::min(at.second + rows.count, rows.columns ? n : m); ++i) along.push_back(i);
    std::ranges::sort(across);
    const Places places = rows.columns ? Places{at.first, across, along} : Places{at.first, along, across};
    if (const Expected<void> done = judge.Exactly(places); !done) return Unexpected(done.error());
  }
  Comparison comparison = judge.Take();
  comparison.judged = fmt::format("sample and {}checksums of {} {}", exact ? "exact " : "", rows.count,
                                  rows.columns ? "columns" : "rows");
  comparison.least_error = exact ? 1 : (1 + left_out) * static_cast<double>(rows.count);
  return comparison;
}

}  // namespace opbyop::reference
