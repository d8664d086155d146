// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that the verifiers of the ops share. Each one either reports an error at the site and returns failure, or
// returns success.
//
//   if (failed(VerifyInRange(site, "dimensions", op.getDimensions(), rank))) return mlir::failure();
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

// Prints dimensions as `[1, ?, 3]`.
std::string Show(Dims dims);
// Prints types as `tensor<1xf32>, tensor<2xi32>`.
std::string Show(mlir::TypeRange types);

// Lists of dimensions.
llvm::LogicalResult VerifyInRange(const Site& site, llvm::StringRef name, Dims dims, int64_t size);
llvm::LogicalResult VerifyUnique(const Site& site, llvm::StringRef name, Dims dims);
llvm::LogicalResult VerifySorted(const Site& site, llvm::StringRef name, Dims dims);
llvm::LogicalResult VerifySize(const Site& site, llvm::StringRef name, size_t size, size_t expected);

// Checks that the declared type of a result is compatible with the inferred type.
llvm::LogicalResult VerifyResultType(const Site& site, mlir::Type inferred, mlir::Type actual);
llvm::LogicalResult VerifyResultTypes(const Site& site, mlir::TypeRange inferred, mlir::TypeRange actual);

// Returns the types that a region's terminator returns. Empty if there is no terminator.
llvm::SmallVector<mlir::Type> ReturnedTypes(mlir::Region& region);

// Whether a region returns one `tensor<i1>`.
bool IsPredicate(mlir::TypeRange returned);

// Whether values of type `from` may be accumulated in type `to`.
bool IsPromotable(mlir::Type from, mlir::Type to);

// Checks the region of a reduce-like op over `inputs` and `inits`. Its parameters are one accumulator and one element
// per input; these are scalars or have the shape of some of the `free` sizes of the inputs. It returns the
// accumulators' types.
llvm::LogicalResult VerifyReducer(const Site& site, mlir::Region& region, mlir::TypeRange inputs, mlir::TypeRange inits,
                                  Dims free);

// A dimension: its size or, if that is unknown, an upper bound if there is one.
struct Extent {
  int64_t size = mlir::ShapedType::kDynamic;
  int64_t bound = mlir::ShapedType::kDynamic;

  // Returns the size if it is known, else the bound, which may be kDynamic.
  int64_t Most() const { return IsDynamic(size) ? bound : size; }
  bool IsFree() const { return IsDynamic(size) && IsDynamic(bound); }
};

// Applies `change` to the size, or to the bound if the size is unknown.
template <typename Function>
Extent Map(Extent extent, Function change) {
  if (!IsDynamic(extent.size)) return {change(extent.size)};
  if (!IsDynamic(extent.bound)) return {mlir::ShapedType::kDynamic, change(extent.bound)};
  return extent;
}

// A sliding window over some dimensions. Absent attributes have been filled in with ones or zeros.
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
// Returns the number of window positions along dimension `i`, which has this size.
Extent WindowPositions(const Window& window, size_t i, Extent size);

// Checks that the comparison type fits the operands' elements.
llvm::LogicalResult VerifyComparisonType(const Site& site, mlir::Type element, ComparisonType type);

// Checks replica groups that name axes of a mesh: the axes must exist, and no part of an axis may be used twice.
llvm::LogicalResult VerifyMeshAxes(const Site& site, ReplicaGroupMeshAxesAttr groups);

llvm::LogicalResult VerifyPrecisionConfig(const Site& site, std::optional<mlir::ArrayAttr> precision);

// Returns the elements of an operand if it is a constant of integers; else nullopt.
std::optional<llvm::SmallVector<int64_t>> ConstantOf(mlir::Value value);

// Checks that an op that moves elements keeps their quantization parameters.
llvm::LogicalResult VerifySameQuantization(const Site& site, mlir::Type from, mlir::Type to);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_VERIFY_H_
