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
llvm::LogicalResult VerifyInRange(mlir::Operation* op, llvm::StringRef name, Dims dims, int64_t size);
llvm::LogicalResult VerifyUnique(mlir::Operation* op, llvm::StringRef name, Dims dims);
llvm::LogicalResult VerifySorted(mlir::Operation* op, llvm::StringRef name, Dims dims);
llvm::LogicalResult VerifySize(mlir::Operation* op, llvm::StringRef name, size_t size, size_t expected);

// The result must be what the operands imply.
llvm::LogicalResult VerifyResultType(mlir::Operation* op, mlir::Type inferred, mlir::Type actual);
llvm::LogicalResult VerifyResultTypes(mlir::Operation* op, mlir::TypeRange inferred, mlir::TypeRange actual);
llvm::LogicalResult VerifyResultShape(mlir::Operation* op, Dims inferred, mlir::Value result);

// The types that a region's terminator returns; none if there is no terminator.
llvm::SmallVector<mlir::Type> ReturnedTypes(mlir::Region& region);

// Whether values of type `from` may be accumulated in type `to`.
bool IsPromotable(mlir::Type from, mlir::Type to);

// The region of reduce and its kin, over `inputs` and `inits`: parameters are
// one accumulator and one element per input, of scalar shape or of the trailing
// `free` sizes of the inputs. Yields the accumulators' types.
llvm::LogicalResult VerifyReducer(mlir::Operation* op, mlir::Region& region, mlir::TypeRange inputs,
                                  mlir::TypeRange inits, Dims free);

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
llvm::LogicalResult VerifyWindow(mlir::Operation* op, Dims sizes, const WindowAttributes& attributes, Window& window);
// The number of window positions along dimension `i` of that size; kDynamic if unknown.
int64_t WindowPositions(const Window& window, size_t i, int64_t size);

llvm::LogicalResult VerifyPrecisionConfig(mlir::Operation* op, std::optional<mlir::ArrayAttr> precision);

// The elements of a constant operand of integers, if it is one.
std::optional<llvm::SmallVector<int64_t>> ConstantOf(mlir::Value value);

// Ops that move elements keep their quantization: same parameters, along the
// dimension that `moved` gives for the operand's.
llvm::LogicalResult VerifySameQuantization(mlir::Operation* op, mlir::Type from, mlir::Type to);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_VERIFY_H_
