// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/lines.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ir/chlo/chlo.h"
#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/region_form.h"
#include "reference/inputs/block.h"
#include "reference/inputs/region_trial.h"

namespace opbyop::reference {
namespace {

// If a factor has fewer lines, a special value in one of them would affect too much of the result.
constexpr int64_t kFewLines = 6;

Shape AlongOne(const Shape& shape, int64_t dimension) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (dimension < 0) dimension += rank;
  return dimension < 0 || dimension >= rank ? Shape{} : Along(shape, {dimension});
}

// Sets whether windows overlap, or are those of a running sum along a dimension.
void SetWindows(mlir::Operation* op, Lines& lines) {
  const size_t rank = lines.shape.size();
  const std::vector<int64_t> window = IntsOr(op, "window_dimensions", rank, 1);
  const std::vector<int64_t> strides = IntsOr(op, "window_strides", rank, 1);
  const std::vector<int64_t> base = IntsOr(op, "base_dilations", rank, 1);
  const std::vector<int64_t> dilations = IntsOr(op, "window_dilations", rank, 1);
  std::vector<int64_t> padding(2 * rank, 0);
  if (auto pads = op->getAttrOfType<mlir::DenseIntElementsAttr>("padding")) {
    size_t i = 0;
    for (const llvm::APInt& pad : pads) {
      if (i < padding.size()) padding[i++] = pad.getSExtValue();
    }
  }
  int wide = 0;
  bool runs = true;
  bool backwards = false;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t n = lines.shape[d];
    const bool plain = base[d] == 1 && dilations[d] == 1;
    const bool padded = padding[2 * d] != 0 || padding[2 * d + 1] != 0;
    if (window[d] == 1 && !padded && base[d] == 1) continue;
    ++wide;
    const bool apart = plain && !padded && (strides[d] == window[d] || window[d] == n);
    const bool ends =
        (padding[2 * d] == n - 1 && padding[2 * d + 1] == 0) || (padding[2 * d] == 0 && padding[2 * d + 1] == n - 1);
    runs = runs && plain && window[d] == n && strides[d] == 1 && ends && n > 1;
    lines.slides = lines.slides || !apart;
    backwards = backwards || padding[2 * d] == 0;
  }
  lines.running = wide == 1 && runs;
  lines.backwards = lines.running && backwards;
  if (lines.running) lines.slides = false;
}

// Whether the initial value never exceeds numbers from -2 to 2 (integers: from -101 to 101): it is a suitable constant,
// or is drawn as the identity.
bool IsNeutral(mlir::Value initial, bool greatest, bool alone) {
  mlir::DenseElementsAttr constant;
  if (!mlir::matchPattern(initial, mlir::m_Constant(&constant))) {
    return alone && llvm::isa<mlir::BlockArgument>(initial);
  }
  if (!constant.isSplat()) return false;
  if (llvm::isa<mlir::FloatType>(constant.getElementType())) {
    llvm::APFloat value = constant.getSplatValue<llvm::APFloat>();
    bool lossy = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    const double v = value.convertToDouble();
    return greatest ? v <= -2 : v >= 2;
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(constant.getElementType())) {
    const llvm::APInt value = constant.getSplatValue<llvm::APInt>();
    if (integer.isUnsigned()) return greatest ? value.isZero() : value.ugt(101);
    return greatest ? value.slt(-101) : value.sgt(101);
  }
  return false;
}

std::optional<Lines> ReductionLines(mlir::Operation* op, unsigned operand) {
  const auto inputs = static_cast<unsigned>(op->getNumOperands() / 2);
  Lines lines{.shape = ShapeOf(op->getOperand(operand)), .block = ReductionBlock(op, operand)};
  if (lines.block.empty()) return std::nullopt;
  if (llvm::isa<stablehlo::ReduceWindowOp>(op)) SetWindows(op, lines);
  const Combine form = inputs == 1 ? CombineOf(op->getRegion(0)) : Combine::kOther;
  switch (form) {
    case Combine::kAdd:
      lines.use = LineUse::kSum;
      return lines;
    case Combine::kMaximum:
    case Combine::kMinimum:
      lines.use = LineUse::kExtreme;
      lines.greatest = form == Combine::kMaximum;
      break;
    case Combine::kOther: {
      const PickTrial trial = TryPick(op, operand);
      lines.takes_nan = trial.takes_nan;
      lines.ordered = trial.ordered;
      lines.greatest = trial.greatest;
      if (trial.picks) {
        lines.use = inputs == 1 ? LineUse::kExtreme : LineUse::kPick;
        break;
      }
      for (unsigned i = 0; i < inputs; ++i) {
        if (i != operand && TryPick(op, i).picks) lines.use = LineUse::kPayload;
      }
      return lines;
    }
    default:
      return lines;
  }
  lines.neutral = IsNeutral(op->getOperand(inputs + operand), lines.greatest, inputs == 1 && form != Combine::kOther);
  return lines;
}

std::optional<ElementType> NarrowestResult(mlir::Value result) {
  std::optional<ElementType> narrowest = ElementTypeOf(result.getType());
  llvm::SetVector<mlir::Value> values;
  values.insert(result);
  for (size_t i = 0; i < values.size(); ++i) {
    for (mlir::Operation* user : values[i].getUsers()) {
      const OpInfo* info = LookUpOp(user->getName().getStringRef());
      if (info == nullptr || info->category != "elementwise") continue;
      const std::optional<ElementType> type = ElementTypeOf(user->getResult(0).getType());
      if (!type || KindOf(*type) != ElementKind::kFloat || !values.insert(user->getResult(0))) continue;
      narrowest = Narrower(narrowest, type);
    }
  }
  return narrowest;
}

std::optional<Lines> SortLines(mlir::Operation* op, unsigned operand, int64_t dimension) {
  Lines lines{.shape = ShapeOf(op->getOperand(operand))};
  lines.block = AlongOne(lines.shape, dimension);
  if (lines.block.empty()) return std::nullopt;
  lines.use = LineUse::kSort;
  auto sort = llvm::dyn_cast<stablehlo::SortOp>(op);
  if (!sort) {
    // For top_k it is not specified where NaN is in the order, nor which zero is greater.
    lines.takes_nan = false;
    lines.ordered = false;
    return lines;
  }
  const OrderTrial trial = TryOrder(op, operand);
  lines.use = trial.key ? LineUse::kSort : LineUse::kPayload;
  lines.takes_nan = trial.takes_nan;
  lines.total = trial.total;
  lines.stable = sort.getIsStable();
  lines.paired = op->getNumOperands() > 1;
  lines.all_arguments =
      llvm::all_of(op->getOperands(), [](mlir::Value v) { return llvm::isa<mlir::BlockArgument>(v); });
  return lines;
}

std::optional<Lines> WholeLinesOf(mlir::OpOperand& use) {
  mlir::Operation* op = use.getOwner();
  const unsigned operand = use.getOperandNumber();
  const llvm::StringRef name = op->getName().getStringRef();
  if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op)) return ReductionLines(op, operand);
  if (auto sort = llvm::dyn_cast<stablehlo::SortOp>(op)) {
    return SortLines(op, operand, static_cast<int64_t>(sort.getDimension()));
  }
  if (name == "chlo.top_k") return SortLines(op, operand, -1);
  if (name == "chlo.scan") {
    auto sizes = op->getAttrOfType<mlir::DenseI32ArrayAttr>("operandSegmentSizes");
    if (!sizes || operand >= static_cast<unsigned>(sizes.asArrayRef().front())) return std::nullopt;
    Lines lines{.shape = ShapeOf(use.get()), .running = true};
    lines.block = AlongOne(lines.shape, op->getAttrOfType<mlir::IntegerAttr>("dimension").getInt());
    auto reverse = op->getAttrOfType<mlir::BoolAttr>("is_reverse");
    lines.backwards = reverse && reverse.getValue();
    return lines.block.empty() ? std::nullopt : std::optional(lines);
  }
  if (Shape block = ProductBlock(op, operand); !block.empty()) {
    Lines lines{.shape = ShapeOf(use.get()), .block = std::move(block), .use = LineUse::kFactor};
    const Shape other = ShapeOf(op->getOperand(1 - operand));
    const Shape others = ProductBlock(op, 1 - operand);
    if (other.size() != others.size()) return std::nullopt;
    const int64_t count = BlockCount(lines.shape, lines.block);
    // The kernel of a group is multiplied only by the images of its group.
    auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op);
    const bool grouped = conv && (conv.getBatchGroupCount() > 1 || conv.getFeatureGroupCount() > 1);
    lines.outnumbered = !grouped && count < kFewLines && count < BlockCount(other, others);
    return lines;
  }
  return std::nullopt;
}

}  // namespace

int64_t Lines::count() const { return BlockCount(shape, block); }

std::optional<ElementType> Narrower(std::optional<ElementType> a, std::optional<ElementType> b) {
  if (!a || !b) return std::nullopt;
  if (*a == *b) return a;
  const auto holds = [](ElementType wide, ElementType narrow) {
    const FloatFormat& w = FormatOf(wide);
    const FloatFormat& n = FormatOf(narrow);
    return w.precision >= n.precision && w.min_exponent <= n.min_exponent && w.max_finite >= n.max_finite &&
           w.has_sign >= n.has_sign && w.has_negative_zero >= n.has_negative_zero;
  };
  if (KindOf(*a) != ElementKind::kFloat || KindOf(*b) != ElementKind::kFloat) return std::nullopt;
  if (holds(*a, *b)) return b;
  return holds(*b, *a) ? a : std::nullopt;
}

std::optional<Lines> LinesOf(mlir::OpOperand& use, std::optional<int64_t> moved) {
  if (SizeOf(ShapeOf(use.get())) == 0) return std::nullopt;
  std::optional<Lines> lines = WholeLinesOf(use);
  if (!lines) return lines;
  const unsigned operand = use.getOperandNumber();
  lines->result = NarrowestResult(use.getOwner()->getResult(operand < use.getOwner()->getNumResults() ? operand : 0));
  if (!moved) return lines;
  if (lines->use == LineUse::kPick) {
    // After data movement, two elements of one line of the argument may be in the same line of the operand.
    if (!lines->ordered) return std::nullopt;
    lines->takes_nan = false;
  }
  lines->block = {std::clamp<int64_t>(lines->length(), 1, std::max<int64_t>(*moved, 1))};
  lines->shape = {*moved};
  lines->all_arguments = false;
  return lines;
}

}  // namespace opbyop::reference
