// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/cost.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/BuiltinTypes.h"
#include "support/dtype.h"
#include "support/saturated.h"

namespace opbyop::generator {
namespace {

// Returns nullopt if a dimension is dynamic or the value is no tensor.
std::optional<int64_t> Elements(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return std::nullopt;
  return tensor.getNumElements();
}

int64_t Sum(mlir::TypeRange types) {
  int64_t sum = 0;
  for (mlir::Type type : types) {
    std::optional<int64_t> elements = Elements(type);
    if (!elements) return 0;
    sum = AddCapped(sum, *elements);
  }
  return sum;
}

int64_t DimensionProduct(mlir::Value value, llvm::ArrayRef<int64_t> dimensions) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  int64_t product = 1;
  for (int64_t dimension : dimensions) {
    if (!tensor || dimension < 0 || dimension >= tensor.getRank() || tensor.isDynamicDim(dimension)) return 0;
    product = MulCapped(product, tensor.getDimSize(dimension));
  }
  return product;
}

int64_t DotFlops(stablehlo::DotGeneralOp op) {
  int64_t depth = DimensionProduct(op.getLhs(), op.getDotDimensionNumbers().getLhsContractingDimensions());
  return MulCapped(2, MulCapped(Sum(op->getResultTypes()), depth));
}

// Every output element sums over the kernel's window and input features. Padding is counted as if it were computed.
int64_t ConvolutionFlops(stablehlo::ConvolutionOp op) {
  std::optional<int64_t> kernel = Elements(op.getRhs().getType());
  int64_t features = DimensionProduct(op.getRhs(), {op.getDimensionNumbers().getKernelOutputFeatureDimension()});
  if (!kernel || features <= 0) return 0;
  return MulCapped(2, MulCapped(Sum(op->getResultTypes()), *kernel / features));
}

int64_t WindowSize(mlir::Operation* op) {
  auto window = op->getAttrOfType<mlir::DenseI64ArrayAttr>("window_dimensions");
  int64_t size = 1;
  if (window) {
    for (int64_t extent : window.asArrayRef()) size = MulCapped(size, extent);
  }
  return size;
}

// The number of ops in a reducer's body, without its terminator.
int64_t BodyOps(mlir::Operation* op) {
  int64_t count = 0;
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Block& block : region)
      count += std::max<int64_t>(static_cast<int64_t>(block.getOperations().size()) - 1, 1);
  }
  return count;
}

// The operations of the specification's definition for each element of the operand. Operations per feature (a square
// root, a division by the count) are left out.
struct BatchNormCost {
  std::string_view op;
  int64_t per_element;
};
constexpr BatchNormCost kBatchNorms[] = {
    {"batch_norm_inference", 4},  // subtract the mean, divide, scale, shift
    {"batch_norm_training", 8},   // a sum for the mean; subtract, square, sum for the variance; the inference
    {"batch_norm_grad", 13}};     // normalize 2, two sums with a product each 4, a third 1, the operand's gradient 6

bool IsElementwiseArithmetic(llvm::StringRef name) {
  const OpInfo* info = LookUpOp(name);
  // A bitcast only moves bits.
  return info != nullptr && info->category == "elementwise" && name != "stablehlo.bitcast_convert";
}

}  // namespace

int64_t EstimateFlops(mlir::Operation* op) {
  if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) return DotFlops(dot);
  if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(op)) return ConvolutionFlops(convolution);
  llvm::StringRef name = op->getName().getStringRef();
  if (name.consume_front("chlo.")) return Sum(op->getResultTypes());
  if (!name.consume_front("stablehlo.")) return 0;
  if (name == "reduce") {
    // the inputs are followed by as many initial values
    return MulCapped(Sum(op->getOperands().take_front(op->getNumOperands() / 2).getTypes()), BodyOps(op));
  }
  const auto* norm =
      std::ranges::find(kBatchNorms, std::string_view(name), [](const BatchNormCost& cost) { return cost.op; });
  if (norm != std::end(kBatchNorms)) {
    return MulCapped(norm->per_element, Sum(op->getOperands().take_front(1).getTypes()));
  }
  if (name == "reduce_window") {
    return MulCapped(MulCapped(Sum(op->getResultTypes()), WindowSize(op)), BodyOps(op));
  }
  if (name == "map") return MulCapped(Sum(op->getResultTypes()), BodyOps(op));
  return IsElementwiseArithmetic(op->getName().getStringRef()) ? Sum(op->getResultTypes()) : 0;
}

int64_t BytesMoved(const std::vector<TensorType>& inputs, const std::vector<TensorType>& outputs) {
  int64_t bytes = 0;
  for (const std::vector<TensorType>* types : {&inputs, &outputs}) {
    for (const TensorType& type : *types) {
      std::optional<int64_t> size = DtypeBytes(type.dtype);
      std::optional<int64_t> elements = NumElements(type);
      if (!size) continue;  // tokens and other values without storage
      if (!elements) return 0;
      bytes = AddCapped(bytes, MulCapped(*size, *elements));
    }
  }
  return bytes;
}

}  // namespace opbyop::generator
