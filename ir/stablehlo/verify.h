// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the verifiers of the ops share. Each helper reports at the op and
// returns failure, or returns success in silence.
#ifndef OPBYOP_IR_STABLEHLO_VERIFY_H_
#define OPBYOP_IR_STABLEHLO_VERIFY_H_

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::stablehlo {

using Dims = llvm::ArrayRef<int64_t>;

inline mlir::RankedTensorType TensorOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline Dims ShapeOf(mlir::Value value) { return TensorOf(value).getShape(); }
inline int64_t RankOf(mlir::Value value) { return TensorOf(value).getRank(); }
inline mlir::Type ElementOf(mlir::Value value) { return TensorOf(value).getElementType(); }
inline bool IsDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

// `[1, ?, 3]`.
std::string Show(Dims dims);
// `tensor<1xf32>, tensor<2xi32>`.
std::string Show(mlir::TypeRange types);

// Lists of dimensions.
llvm::LogicalResult VerifyInRange(const Site& site, llvm::StringRef name, Dims dims, int64_t size);
llvm::LogicalResult VerifyUnique(const Site& site, llvm::StringRef name, Dims dims);
llvm::LogicalResult VerifySorted(const Site& site, llvm::StringRef name, Dims dims);
llvm::LogicalResult VerifySize(const Site& site, llvm::StringRef name, size_t size, size_t expected);

// The result must be what the operands imply.
llvm::LogicalResult VerifyResultType(const Site& site, mlir::Type inferred, mlir::Type actual);
llvm::LogicalResult VerifyResultTypes(const Site& site, mlir::TypeRange inferred, mlir::TypeRange actual);

// The types that a region's terminator returns; none if there is no terminator.
llvm::SmallVector<mlir::Type> ReturnedTypes(mlir::Region& region);

// Whether a region returns one `tensor<i1>`.
bool IsPredicate(mlir::TypeRange returned);

// Whether values of type `from` may be accumulated in type `to`.
bool IsPromotable(mlir::Type from, mlir::Type to);

// The region of reduce and its kin, over `inputs` and `inits`: parameters are
// one accumulator and one element per input, of scalar shape or of the trailing
// `free` sizes of the inputs. Yields the accumulators' types.
llvm::LogicalResult VerifyReducer(const Site& site, mlir::Region& region, mlir::TypeRange inputs, mlir::TypeRange inits,
                                  Dims free);

// A dimension: its size, and where that is unknown perhaps an upper bound.
struct Extent {
  int64_t size = mlir::ShapedType::kDynamic;
  int64_t bound = mlir::ShapedType::kDynamic;

  // The size if it is known, else the bound, else kDynamic.
  int64_t Most() const { return IsDynamic(size) ? bound : size; }
  bool IsFree() const { return IsDynamic(size) && IsDynamic(bound); }
};

// `change` applied to the size, or to the bound of an unknown one.
template <typename Function>
Extent Map(Extent extent, Function change) {
  if (!IsDynamic(extent.size)) return {change(extent.size)};
  if (!IsDynamic(extent.bound)) return {mlir::ShapedType::kDynamic, change(extent.bound)};
  return extent;
}

// A sliding window over some dimensions, absent lists being all ones or zeros.
struct Window {
  llvm::SmallVector<int64_t> sizes, strides, low, high, base_dilations, window_dilations;
};
struct WindowAttributes {
  std::optional<Dims> strides;
  mlir::DenseIntElementsAttr padding;
  std::optional<Dims> base_dilations, window_dilations;
  std::optional<llvm::ArrayRef<bool>> reversal;
};
llvm::LogicalResult VerifyWindow(const Site& site, Dims sizes, const WindowAttributes& attributes, Window& window);
// The number of window positions along dimension `i` of that size.
Extent WindowPositions(const Window& window, size_t i, Extent size);

// The comparison must suit the operands' elements: SIGNED for signed integers, and so on.
llvm::LogicalResult VerifyComparisonType(const Site& site, mlir::Type element, ComparisonType type);

// Axes of a mesh as replica groups: they exist, and no part of one is used twice.
llvm::LogicalResult VerifyMeshAxes(const Site& site, ReplicaGroupMeshAxesAttr groups);

llvm::LogicalResult VerifyPrecisionConfig(const Site& site, std::optional<mlir::ArrayAttr> precision);

// The elements of a constant operand of integers, if it is one.
std::optional<llvm::SmallVector<int64_t>> ConstantOf(mlir::Value value);

// Ops that move elements keep their quantization: same parameters, along the
// dimension that `moved` gives for the operand's.
llvm::LogicalResult VerifySameQuantization(const Site& site, mlir::Type from, mlir::Type to);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_VERIFY_H_
