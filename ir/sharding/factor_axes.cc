// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/factor_axes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "support/sharding/shards.h"

namespace opbyop {

FactorAxes ChooseFactorAxes(mlir::Operation* op, const ShardingRule& rule,
                            llvm::function_ref<Axes(mlir::Value value, size_t dimension)> axes_of,
                            llvm::function_ref<bool(int factor)> may_have_padding) {
  FactorAxes axes(static_cast<size_t>(rule.factors));
  const auto each = [&](auto visit) {
    for (const auto [value, factors] : llvm::zip(op->getResults(), rule.results)) visit(value, factors);
    for (const auto [value, factors] : llvm::zip(op->getOperands(), rule.operands)) visit(value, factors);
  };
  const auto divides = [&](int factor, int64_t parts) {
    bool even = true;
    std::set<int64_t> sizes;
    each([&](mlir::Value value, const ShardingRule::Factors& factors) {
      for (const auto [own, size] : llvm::zip(factors, SizesOf(value))) {
        if (own != factor) continue;
        even &= size % parts == 0;
        sizes.insert(size);
      }
    });
    if (sizes.empty() || *sizes.begin() <= 0) return false;
    return even || (sizes.size() == 1 && may_have_padding(factor));
  };
  each([&](mlir::Value value, const ShardingRule::Factors& factors) {
    for (const auto [i, factor] : llvm::enumerate(factors)) {
      if (factor == ShardingRule::kWhole || !axes[static_cast<size_t>(factor)].empty()) continue;
      Axes wanted = axes_of(value, i);
      if (wanted.empty() || !divides(factor, PartsOf(wanted))) continue;
      if (llvm::any_of(axes, [&](const Axes& other) { return Overlap(other, wanted); })) continue;
      axes[static_cast<size_t>(factor)] = std::move(wanted);
    }
  });
  return axes;
}

Division DivisionOf(const ShardingRule::Factors& factors, const FactorAxes& axes) {
  Division division;
  for (const int factor : factors) {
    division.push_back(factor == ShardingRule::kWhole ? Axes() : axes[static_cast<size_t>(factor)]);
  }
  return division;
}

mlir::RankedTensorType LocalType(mlir::RankedTensorType whole, const Division& division) {
  return mlir::RankedTensorType::get(ShardShape(whole.getShape(), division), whole.getElementType(),
                                     whole.getEncoding());
}

void ResizeAttributes(mlir::Operation* local) {
  const auto resize = [&](mlir::Value value, llvm::ArrayRef<int64_t> before) {
    llvm::SmallVector<int64_t> sizes(before);
    for (const auto [size, own] : llvm::zip(sizes, SizesOf(value))) size = std::min(size, own);
    return sizes;
  };
  if (auto slice = mlir::dyn_cast<stablehlo::SliceOp>(local)) {
    slice.setLimitIndices(resize(slice.getOperand(), slice.getLimitIndices()));
  } else if (auto dynamic = mlir::dyn_cast<stablehlo::DynamicSliceOp>(local)) {
    dynamic.setSliceSizes(resize(dynamic.getOperand(), dynamic.getSliceSizes()));
  }
}

}  // namespace opbyop
