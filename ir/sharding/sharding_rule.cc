// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/sharding_rule.h"

#include <algorithm>

#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace opbyop {
namespace {

using Factors = ShardingRule::Factors;
using Shape = llvm::ArrayRef<int64_t>;

constexpr int kWhole = ShardingRule::kWhole;

bool IsPlainTensor(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         !mlir::isa<mlir::quant::UniformQuantizedPerAxisType, mlir::quant::UniformQuantizedSubChannelType>(
             tensor.getElementType());
}

class RuleMaker {
 public:
  // A rule in which every dimension of every value is whole.
  explicit RuleMaker(mlir::Operation* op) : op_(op) {
    for (mlir::Value operand : op->getOperands()) rule_.operands.emplace_back(SizesOf(operand).size(), kWhole);
    for (mlir::Value result : op->getResults()) rule_.results.emplace_back(SizesOf(result).size(), kWhole);
  }

  std::optional<ShardingRule> Make() {
    const bool has_rule =
        llvm::TypeSwitch<mlir::Operation*, bool>(op_)
            .Case<stablehlo::DotGeneralOp, stablehlo::ReduceOp, stablehlo::TransposeOp, stablehlo::BroadcastInDimOp,
                  stablehlo::ReshapeOp, stablehlo::ConcatenateOp, stablehlo::PadOp, stablehlo::SliceOp,
                  stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp, stablehlo::ReverseOp, stablehlo::SortOp,
                  stablehlo::IotaOp>([&](auto op) {
              Fill(op);
              return true;
            })
            .Default([&](mlir::Operation*) { return FillElementwise(); });
    return has_rule ? std::optional(std::move(rule_)) : std::nullopt;
  }

 private:
  int New() { return rule_.factors++; }
  Factors& Operand(size_t index) { return rule_.operands[index]; }
  Factors& Result(size_t index = 0) { return rule_.results[index]; }

  bool FillElementwise() {
    const OpKind kind = KindOf(op_->getName().getStringRef());
    if (kind != OpKind::kElementwiseUnary && kind != OpKind::kElementwiseBinary &&
        kind != OpKind::kElementwiseTernary) {
      return false;
    }
    if (op_->getNumResults() != 1) return false;
    const Shape shape = SizesOf(op_->getResult(0));
    for (mlir::Value operand : op_->getOperands()) {
      if (!SizesOf(operand).empty() && SizesOf(operand) != shape) return false;
    }
    for (int& factor : Result()) factor = New();
    for (Factors& operand : rule_.operands) {
      if (!operand.empty()) operand = Result();
    }
    return true;
  }

  void Fill(stablehlo::DotGeneralOp op) {
    const auto numbers = op.getDotDimensionNumbers();
    size_t next = 0;  // dimension of the result
    for (const auto [l, r] : llvm::zip(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions())) {
      Operand(0)[l] = Operand(1)[r] = Result()[next++] = New();
    }
    for (const auto [l, r] : llvm::zip(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions())) {
      Operand(0)[l] = Operand(1)[r] = New();
    }
    for (const size_t side : {0, 1}) {
      for (int& factor : Operand(side)) {
        if (factor == kWhole) factor = Result()[next++] = New();
      }
    }
  }

  void Fill(stablehlo::ReduceOp op) {
    const size_t inputs = op->getNumOperands() / 2;
    if (inputs == 0) return;
    const auto dimensions = op.getDimensions();
    size_t next = 0;
    for (size_t i = 0; i < Operand(0).size(); ++i) {
      const int factor = New();
      for (size_t input = 0; input < inputs; ++input) Operand(input)[i] = factor;
      if (llvm::is_contained(dimensions, static_cast<int64_t>(i))) continue;
      for (Factors& result : rule_.results) result[next] = factor;
      ++next;
    }
  }

  void Fill(stablehlo::TransposeOp op) {
    for (const auto [i, from] : llvm::enumerate(op.getPermutation())) Operand(0)[from] = Result()[i] = New();
  }

  void Fill(stablehlo::BroadcastInDimOp op) {
    for (int& factor : Result()) factor = New();
    for (const auto [i, to] : llvm::enumerate(op.getBroadcastDimensions())) {
      if (SizesOf(op.getOperand())[i] == SizesOf(op.getResult())[to]) Operand(0)[i] = Result()[to];
    }
  }

  // Dimensions that become others together: the largest parts of both are one factor.
  void Fill(stablehlo::ReshapeOp op) {
    const Shape from = SizesOf(op.getOperand());
    const Shape to = SizesOf(op.getResult());
    if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0)) return;
    size_t i = 0;
    size_t j = 0;
    while (i < from.size() && j < to.size()) {
      if (from[i] == 1) {
        ++i;
        continue;
      }
      if (to[j] == 1) {
        ++j;
        continue;
      }
      Operand(0)[i] = Result()[j] = New();
      int64_t left = from[i++];
      int64_t right = to[j++];
      while (left != right) {
        if (left < right) {
          left *= from[i++];
        } else {
          right *= to[j++];
        }
      }
    }
  }

  void Fill(stablehlo::ConcatenateOp op) {
    for (const auto [i, factor] : llvm::enumerate(Result())) {
      if (static_cast<int64_t>(i) != static_cast<int64_t>(op.getDimension())) factor = New();
    }
    for (Factors& operand : rule_.operands) operand = Result();
  }

  // Dimensions of operand 0 that come out as they are.
  template <class Predicate>
  void Keep(Predicate is_kept) {
    for (size_t i = 0; i < Result().size(); ++i) {
      if (is_kept(i)) Operand(0)[i] = Result()[i] = New();
    }
  }
  bool SameSize(size_t i) const { return SizesOf(op_->getOperand(0))[i] == SizesOf(op_->getResult(0))[i]; }

  void Fill(stablehlo::PadOp op) {
    Keep([&](size_t i) {
      return op.getEdgePaddingLow()[i] == 0 && op.getEdgePaddingHigh()[i] == 0 && op.getInteriorPadding()[i] == 0;
    });
  }
  void Fill(stablehlo::SliceOp) {
    Keep([&](size_t i) { return SameSize(i); });
  }
  void Fill(stablehlo::DynamicSliceOp) {
    Keep([&](size_t i) { return SameSize(i); });
  }
  void Fill(stablehlo::DynamicUpdateSliceOp op) {
    const Shape update = SizesOf(op.getUpdate());
    Keep([&](size_t i) { return update[i] == SizesOf(op.getOperand())[i]; });
    Operand(1) = Operand(0);
  }
  void Fill(stablehlo::ReverseOp op) {
    Keep([&](size_t i) { return !llvm::is_contained(op.getDimensions(), static_cast<int64_t>(i)); });
  }
  void Fill(stablehlo::SortOp op) {
    if (rule_.results.empty()) return;
    const auto rank = static_cast<int64_t>(Result().size());
    const auto dimension = static_cast<int64_t>(op.getDimension());
    const int64_t sorted = dimension < 0 ? dimension + rank : dimension;
    for (int64_t i = 0; i < rank; ++i) {
      if (i == sorted) continue;
      const int factor = New();
      for (Factors& value : rule_.operands) value[static_cast<size_t>(i)] = factor;
      for (Factors& value : rule_.results) value[static_cast<size_t>(i)] = factor;
    }
  }
  void Fill(stablehlo::IotaOp op) {
    for (const auto [i, factor] : llvm::enumerate(Result())) {
      if (static_cast<int64_t>(i) != static_cast<int64_t>(op.getIotaDimension())) factor = New();
    }
  }

  mlir::Operation* op_;
  ShardingRule rule_;
};

}  // namespace

std::optional<ShardingRule> RuleOf(mlir::Operation* op) {
  if (!llvm::all_of(llvm::concat<const mlir::Type>(op->getOperandTypes(), op->getResultTypes()), IsPlainTensor)) {
    return std::nullopt;
  }
  return RuleMaker(op).Make();
}

}  // namespace opbyop
