// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/whole_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/bounds/compare.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

double ExtentOf(mlir::Value value, int64_t d) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return type.isDynamicDim(static_cast<unsigned>(d)) ? 1
                                                     : static_cast<double>(type.getDimSize(static_cast<unsigned>(d)));
}

// The number of products in each sum in which a matrix is the right operand. Follows the matrix through ops that move it,
// into the bodies of loops and of called functions, and out of them.
class SumLengths {
 public:
  explicit SumLengths(mlir::ModuleOp module) : module_(module) {}

  // 0 if there is no such sum.
  double Of(mlir::Value value) {
    seen_.clear();
    length_ = 0;
    Follow(value);
    return length_;
  }

 private:
  void Follow(mlir::Value value) {
    mlir::Operation* call = calls_.empty() ? nullptr : calls_.back();
    if (!seen_.insert({value, call}).second) return;
    for (mlir::OpOperand& use : value.getUses()) FollowUse(value, use.getOwner(), use.getOperandNumber());
  }

  void FollowUse(mlir::Value value, mlir::Operation* op, unsigned number) {
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      double k = 1;
      for (const int64_t d : dot.getDotDimensionNumbers().getRhsContractingDimensions()) k *= ExtentOf(dot.getRhs(), d);
      if (number == 1) length_ = std::max(length_, k);
    } else if (llvm::isa<stablehlo::DotOp>(op)) {
      if (number == 1) length_ = std::max(length_, ExtentOf(value, 0));
    } else if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
      const auto numbers = conv.getDimensionNumbers();
      double k = ExtentOf(conv.getRhs(), numbers.getKernelInputFeatureDimension());
      for (const int64_t d : numbers.getKernelSpatialDimensions()) k *= ExtentOf(conv.getRhs(), d);
      if (number == 1) length_ = std::max(length_, k);
    } else if (llvm::isa<stablehlo::TransposeOp, stablehlo::ReshapeOp, stablehlo::ConvertOp,
                         stablehlo::BroadcastInDimOp, stablehlo::SliceOp, stablehlo::DynamicSliceOp>(op)) {
      if (number == 0) Follow(op->getResult(0));
    } else if (llvm::isa<stablehlo::WhileOp>(op)) {
      Carry(op, number);
    } else if (auto called = llvm::dyn_cast<mlir::func::CallOp>(op)) {
      auto function = module_.lookupSymbol<mlir::func::FuncOp>(called.getCallee());
      if (!function || function.isExternal() || llvm::is_contained(calls_, op)) return;
      calls_.push_back(op);
      Follow(function.getArgument(number));
      calls_.pop_back();
    } else if (op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      Leave(op, number);
    }
  }

  // The matrix is what a loop carries at this place.
  void Carry(mlir::Operation* loop, unsigned number) {
    Follow(loop->getRegion(1).getArgument(number));
    Follow(loop->getResult(number));
  }

  // The matrix leaves a body.
  void Leave(mlir::Operation* terminator, unsigned number) {
    mlir::Operation* parent = terminator->getParentOp();
    if (llvm::isa<stablehlo::WhileOp>(parent)) {
      if (terminator->getParentRegion() == &parent->getRegion(1)) Carry(parent, number);
    } else if (llvm::isa<stablehlo::IfOp, stablehlo::CaseOp>(parent)) {
      Follow(parent->getResult(number));
    } else if (llvm::isa<mlir::func::FuncOp>(parent) && !calls_.empty()) {
      mlir::Operation* call = calls_.back();
      calls_.pop_back();
      Follow(call->getResult(number));
      calls_.push_back(call);
    }
  }

  mlir::ModuleOp module_;
  double length_ = 0;
  std::vector<mlir::Operation*> calls_;                            // into whose functions the matrix was followed
  llvm::DenseSet<std::pair<mlir::Value, mlir::Operation*>> seen_;  // values, and the innermost call at the time
};

// Numbers that are uniform in [-a, a] have the variance a^2 / 3. Scales the matrix so that sums of `length` products
// keep the variance of the other operand.
void ScaleForSums(Tensor& t, double length) {
  double most = 0;
  for (const double v : t.data<double>()) most = std::max(most, std::fabs(v));
  const double factor = most > 0 ? std::sqrt(3 / length) / most : 1;
  for (double& v : t.Mutable<double>()) v *= factor;
  RoundResult(t);
}

void DrawIn(std::pair<int64_t, int64_t> range, uint64_t seed, Tensor& t) {
  const auto span = static_cast<uint64_t>(range.second - range.first) + 1;
  const std::span<int64_t> values = t.Mutable<int64_t>();
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = range.first + static_cast<int64_t>(SeedOf(fmt::format("{}", k), seed) % span);
  }
}

// Calls f(expected, got) for every real number of two tensors of one type, as doubles.
template <typename F>
void EachPair(const Tensor& expected, const Tensor& got, F f) {
  WithStorage(expected.kind(), [&]<typename T>() {
    const std::span<const T> want = expected.data<T>();
    const std::span<const T> have = got.data<T>();
    for (size_t i = 0; i < want.size(); ++i) {
      if constexpr (std::is_same_v<T, Complex>) {
        f(want[i].real(), have[i].real());
        f(want[i].imag(), have[i].imag());
      } else {
        f(static_cast<double>(want[i]), static_cast<double>(have[i]));
      }
    }
  });
}

// The range of the finite expected values. Its size is their modulus if they are all equal.
struct Range {
  double low = kInf, high = -kInf;

  void Add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  double width() const {
    if (!(low <= high)) return 0;
    return high > low ? high - low : std::fabs(high);
  }
};

Range RangeOf(const Tensor& expected) {
  Range range;
  EachPair(expected, expected, [&](double want, double) {
    if (std::isfinite(want)) range.Add(want);
  });
  return range;
}

double Share(double part, double whole) { return part == 0 ? 0 : whole > 0 ? part / whole : kInf; }

// The greatest finite modulus among the values of an output and those that it depends on. 0 if there is none.
double SizeOfValues(const Tensor& expected, const Range& range) {
  const double scale = std::max({expected.provenance().scale, std::fabs(range.low), std::fabs(range.high)});
  return std::isfinite(scale) ? scale : 0;
}

bool AreEqual(double want, double have) { return want == have || (std::isnan(want) && std::isnan(have)); }

// A criterion in the units of an output: its demand on elements whose bound says nothing.
struct WeakMeasure {
  double size;     // of the values
  double widest;   // bound that says something: others have grown from op to op
  double allowed;  // error
  // If an error larger than any number of the type is allowed, one device may overflow where another does not.
  bool may_overflow;

  WeakMeasure(const Tensor& expected, const Range& range, const WeakCriterion& criterion, double factor)
      : size(SizeOfValues(expected, range)), allowed(criterion.share * factor * size) {
    constexpr double kWidest = 16;  // times the scale of the values
    const FloatFormat* format = Info(expected.type()).format;
    widest = format != nullptr ? kWidest * size : kInf;
    may_overflow = format != nullptr && allowed > format->max_finite;
  }
  bool Says(double bound) const { return bound < kInf && bound <= widest; }
  bool IsNear(double want, double have) const {
    return may_overflow || AreEqual(want, have) ||
           (std::isfinite(want) && std::isfinite(have) && std::fabs(want - have) <= allowed);
  }
};

// Counts of the elements that have no useful bound.
struct Unknown {
  int64_t elements = 0;
  int64_t unequal = 0;
  // Elements that are further away than the criterion allows, or NaN or infinite on one side only.
  int64_t wrong = 0;
};

}  // namespace

Expected<std::vector<InputData>> MakeModelInputs(mlir::ModuleOp module, InputKind kind, uint64_t seed,
                                                 const std::vector<InputRange>& ranges) {
  Expected<std::vector<InputData>> inputs = MakeInputs(module, kind, seed);
  if (!inputs) return inputs;
  const bool scales = kind != InputKind::kExactInt;
  Expected<std::vector<InputData>> plain = std::vector<InputData>();
  if (kind == InputKind::kEdge) plain = MakeInputs(module, InputKind::kDomain, seed);
  if (!plain) return plain;
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  auto main = llvm::cast<mlir::FunctionOpInterface>(*entry);
  SumLengths lengths(module);
  for (size_t i = 0; i < inputs->size(); ++i) {
    InputData& input = (*inputs)[i];
    const ElementKind element = KindOf(input.type);
    const double length =
        scales && element == ElementKind::kFloat ? lengths.Of(main.getArgument(static_cast<unsigned>(i))) : 0;
    const bool ranged = element == ElementKind::kInteger && i < ranges.size() && ranges[i];
    if (length <= 1 && !ranged) continue;
    if (!ranged && !plain->empty()) input.bytes = (*plain)[i].bytes;
    Expected<Tensor> t = TensorFromBytes(input.type, input.shape, input.bytes);
    if (!t) return Unexpected(t.error());
    if (ranged) {
      DrawIn(*ranges[i], seed + i, *t);
    } else {
      ScaleForSums(*t, length);
    }
    input.bytes = TensorToBytes(*t);
  }
  return inputs;
}

Expected<GeneratedInputs> GenerateModelInputs(mlir::ModuleOp module, InputKind kind, std::string_view case_id,
                                              uint64_t seed, const std::vector<InputRange>& ranges, const Grid& grid) {
  const auto draw = [&](std::string_view id, LargeInputs) {
    return MakeModelInputs(module, kind, SeedOf(id, seed), ranges);
  };
  return GenerateInputs(module, draw, case_id, kWholeModelLimits, grid, LargeInputs::kWhole);
}

WeakCriterion CriterionOf(mlir::ModuleOp module) {
  int precision = 53;
  module.walk([&](mlir::Operation* op) {
    for (mlir::Type type : op->getResultTypes()) {
      const auto element = ElementTypeOf(type);
      if (element && Info(*element).format != nullptr) precision = std::min(precision, FormatOf(*element).precision);
    }
  });
  return WeakCriterionOf(precision);
}

WeakCriterion WidenedBy(WeakCriterion criterion, const Tensor& expected, const Tensor& rounded_toward_zero,
                        double rmse) {
  constexpr double kMargin = 2;
  constexpr double kMostShare = 0.5;
  if (expected.shape() != rounded_toward_zero.shape() || Info(expected.type()).format == nullptr) return criterion;
  double greatest = 0, squares = 0, count = 0;
  EachPair(expected, rounded_toward_zero, [&](double want, double other) {
    if (!std::isfinite(want) || !std::isfinite(other)) return;
    const double distance = std::fabs(want - other);
    greatest = std::max(greatest, distance);
    squares += distance * distance;
    ++count;
  });
  const double size = SizeOfValues(expected, RangeOf(expected));
  if (size > 0 && rmse <= kMargin * std::sqrt(squares / std::max(count, 1.0))) {
    criterion.share = std::max(criterion.share, std::min(kMargin * greatest / size, kMostShare));
  }
  return criterion;
}

Tensor TakeWhereNear(const Tensor& expected, const Tensor& other, std::span<const std::byte> bytes,
                     WeakCriterion criterion, double factor, int64_t& taken) {
  taken = 0;
  const Expected<Tensor> got = TensorFromBytes(expected.type(), expected.shape(), bytes);
  if (!got || expected.kind() != ElementKind::kFloat || expected.bounds().empty()) return expected;
  const WeakMeasure measure(expected, RangeOf(expected), criterion, factor);
  Tensor merged = expected;
  const std::span<double> values = merged.Mutable<double>();
  const std::span<const double> have = got->data<double>(), others = other.data<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (measure.Says(expected.bounds()[i] * factor) || measure.IsNear(values[i], have[i])) continue;
    const double bound = other.bounds().empty() ? 0 : other.bounds()[i] * factor;
    const bool within = measure.Says(bound) && std::fabs(others[i] - have[i]) <= bound;
    if (!within && !measure.IsNear(others[i], have[i])) continue;
    values[i] = within ? have[i] : others[i];
    ++taken;
  }
  return merged;
}

void JudgeWholeModel(const Tensor& expected, std::span<const std::byte> bytes, WeakCriterion criterion, double factor,
                     Comparison& comparison) {
  const Expected<Tensor> got = TensorFromBytes(expected.type(), expected.shape(), bytes);
  if (!got) return;
  const std::span<const double> bounds = expected.bounds();
  const bool real = Info(expected.type()).format != nullptr;
  const Range range = RangeOf(expected);
  double greatest_error = 0;
  const size_t parts = expected.kind() == ElementKind::kComplex ? 2 : 1;
  EachPair(expected, *got, [&](double want, double have) {
    if (std::isfinite(want) && std::isfinite(have)) greatest_error = std::max(greatest_error, std::fabs(want - have));
  });
  comparison.range_error = Share(greatest_error, range.width());
  const WeakMeasure measure(expected, range, criterion, factor);
  Unknown unknown;
  double widest_known = 0;
  size_t number = 0;
  EachPair(expected, *got, [&](double want, double have) {
    const size_t i = number++ / parts;
    const double bound = bounds.empty() ? 0 : bounds[i] * factor;
    if (measure.Says(bound)) {
      widest_known = std::max(widest_known, bound);
      return;
    }
    // Elements that the specification leaves open are right.
    if (expected.provenance().open) return;
    ++unknown.elements;
    if (AreEqual(want, have)) return;
    ++unknown.unequal;
    unknown.wrong += !measure.IsNear(want, have);
  });
  // A result within such a wide bound may be far from right, and nothing more is known about it.
  if (real && widest_known > measure.allowed) {
    comparison.weak = true;
    comparison.rule += fmt::format(", up to {:.2g} of {:.3g}, the largest value that it depends on",
                                   widest_known / measure.size, measure.size);
  }
  if (unknown.elements == 0) return;
  comparison.weak = true;
  const bool good =
      real ? unknown.wrong == 0
           : static_cast<double>(unknown.unequal) <= criterion.unequal * static_cast<double>(unknown.elements);
  comparison.rule =
      real ? fmt::format(
                 "weak: error <= {:g} of {:.3g}, the largest value that it depends on, at {} of {} elements, "
                 "whose bound ({}) says nothing",
                 criterion.share * factor, measure.size, unknown.elements / static_cast<int64_t>(parts),
                 expected.size(), comparison.rule)
           : fmt::format("weak: at most {:g} of {} elements differ, whose bound ({}) says nothing", criterion.unequal,
                         unknown.elements, comparison.rule);
  // The bound says nothing about these elements, so the worst elements are those that are furthest off.
  if (comparison.mismatches == 0) comparison.worst = FurthestElements(expected, bytes, real ? measure.allowed : 0);
  if (good || !comparison.accepted) return;
  comparison.accepted = false;
  comparison.mismatches = std::max<int64_t>({comparison.mismatches, unknown.wrong, 1});
}

}  // namespace opbyop::reference
