// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers dot_general and convolution to one linalg.generic each. The innermost loop runs over contiguous elements of
// the right operand and of the result: rows of B are added to rows of C.
#include "device/host/lowering/contraction.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <numeric>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/movement.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
using Dims = llvm::SmallVector<int64_t>;

// An operand with fewer uses per element than this is not transposed first, because the copy would not pay.
constexpr int64_t kMinReuse = 2;

// Dimensions of a tensor of this rank that are in neither list.
Dims Others(size_t rank, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Dims others;
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
    if (!llvm::is_contained(a, i) && !llvm::is_contained(b, i)) others.push_back(i);
  }
  return others;
}

int64_t Product(Value tensor, llvm::ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) product *= ShapeOf(tensor)[dim];
  return product;
}

// Orders pairs of contracted dimensions as they lie in the larger operand, its contiguous one last: a sum whose next term
// is megabytes away costs many times its arithmetic.
void OrderContracted(Value lhs, Dims& lhs_dims, Value rhs, Dims& rhs_dims) {
  const auto size = [](Value operand) { return mlir::cast<RankedTensorType>(operand.getType()).getNumElements(); };
  const bool as_in_lhs = size(lhs) >= size(rhs);
  llvm::SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [l, r] : llvm::zip_equal(lhs_dims, rhs_dims)) pairs.emplace_back(l, r);
  llvm::sort(pairs, [&](const auto& a, const auto& b) { return as_in_lhs ? a.first < b.first : a.second < b.second; });
  for (auto [i, pair] : llvm::enumerate(pairs)) std::tie(lhs_dims[i], rhs_dims[i]) = pair;
}

// The loops are batch, left, contracted, right (innermost).
Value Dot(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, mlir::Type element, Value lhs, mlir::Type lhs_element,
          Value rhs, mlir::Type rhs_element, Dims lhs_batch, Dims rhs_batch, Dims lhs_contracted, Dims rhs_contracted) {
  OrderContracted(lhs, lhs_contracted, rhs, rhs_contracted);
  const Dims left = Others(ShapeOf(lhs).size(), lhs_batch, lhs_contracted);
  Dims right = Others(ShapeOf(rhs).size(), rhs_batch, rhs_contracted);
  // If the contracted dimension is the contiguous one of the right operand, it is transposed first if it is used often
  // enough.
  const int64_t rhs_rank = static_cast<int64_t>(ShapeOf(rhs).size());
  if (!right.empty() && right.back() != rhs_rank - 1 && Product(lhs, left) >= kMinReuse && Product(rhs, right) > 1) {
    Dims order = rhs_batch;
    llvm::append_range(order, rhs_contracted);
    llvm::append_range(order, right);
    rhs = Transposed(b, rhs, order);
    const auto place = [&](Dims& dims, size_t offset) { std::iota(dims.begin(), dims.end(), offset); };
    place(rhs_batch, 0);
    place(rhs_contracted, rhs_batch.size());
    place(right, rhs_batch.size() + rhs_contracted.size());
  }
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  llvm::SmallVector<AffineExpr> lhs_map(ShapeOf(lhs).size()), rhs_map(ShapeOf(rhs).size()), result_map;
  const auto loop = [&](mlir::utils::IteratorType kind) {
    iterators.push_back(kind);
    return b.getAffineDimExpr(static_cast<unsigned>(iterators.size() - 1));
  };
  for (auto [l, r] : llvm::zip_equal(lhs_batch, rhs_batch)) {
    result_map.push_back(loop(kParallel));
    lhs_map[l] = rhs_map[r] = result_map.back();
  }
  for (int64_t dim : left) result_map.push_back(lhs_map[dim] = loop(kParallel));
  for (auto [l, r] : llvm::zip_equal(lhs_contracted, rhs_contracted)) lhs_map[l] = rhs_map[r] = loop(kReduction);
  for (int64_t dim : right) result_map.push_back(rhs_map[dim] = loop(kParallel));
  const unsigned loops = static_cast<unsigned>(iterators.size());
  const auto map = [&](llvm::ArrayRef<AffineExpr> exprs) { return AffineMap::get(loops, 0, exprs, b.getContext()); };
  return Contract(b, type, element, {lhs, lhs_element}, {rhs, rhs_element},
                  {map(lhs_map), map(rhs_map), map(result_map)}, iterators);
}

class DotGeneralPattern : public ValuePattern<stablehlo::DotGeneralOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::DotGeneralOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const auto numbers = op.getDotDimensionNumbers();
    if (const auto algorithm = op.getAlgorithm();
        algorithm && algorithm->getAccumulationType().isF64() && !ElementOf(op.getLhs().getType()).isF64()) {
      Refuse(op, "its algorithm sums in f64, which the host does of f64 only");
      return {};
    }
    return Dot(b, type, ElementOf(op.getType()), adaptor.getLhs(), ElementOf(op.getLhs().getType()), adaptor.getRhs(),
               ElementOf(op.getRhs().getType()), Dims(numbers.getLhsBatchingDimensions()),
               Dims(numbers.getRhsBatchingDimensions()), Dims(numbers.getLhsContractingDimensions()),
               Dims(numbers.getRhsContractingDimensions()));
  }
};

// The deprecated form: contracts the last dimension of lhs with the first of rhs.
class DotPattern : public ValuePattern<stablehlo::DotOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::DotOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const int64_t last = static_cast<int64_t>(ShapeOf(adaptor.getLhs()).size()) - 1;
    return Dot(b, type, ElementOf(op.getType()), adaptor.getLhs(), ElementOf(op.getLhs().getType()), adaptor.getRhs(),
               ElementOf(op.getRhs().getType()), {}, {}, {last}, {0});
  }
};

bool IsEmpty(Value tensor) { return llvm::is_contained(ShapeOf(tensor), 0); }

// Computes in the layout batch, space..., feature (kernel: space..., input feature, output feature). Features and, if
// there are batch groups, batches are split into (group, rest):
//   result[n, y..., g, o] += input[n, y * stride + k * dilation..., g, i] * kernel[k..., i, g, o]
// The padding of dynamic_conv is an operand.
template <typename OpT>
class ConvolutionPattern : public ValuePattern<OpT> {
 public:
  using ValuePattern<OpT>::ValuePattern;

  Value Lower(OpT op, typename OpT::Adaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const auto numbers = op.getDimensionNumbers();
    const size_t space = numbers.getInputSpatialDimensions().size();
    const int64_t groups = std::max(op.getFeatureGroupCount(), op.getBatchGroupCount());
    const bool batch_groups = op.getBatchGroupCount() > 1;

    if (type.getNumElements() == 0 || IsEmpty(adaptor.getLhs()) || IsEmpty(adaptor.getRhs())) {
      return Filled(b, type, ScalarConstant(b, type.getElementType(), 0));
    }

    Value input = Input(b, op, adaptor);
    Value kernel = Kernel(b, op, adaptor.getRhs());
    const auto input_shape = ShapeOf(input);
    const auto kernel_shape = ShapeOf(kernel);
    const int64_t batch = input_shape[0] / (batch_groups ? groups : 1);
    const int64_t input_features = kernel_shape[space];
    const int64_t output_features = kernel_shape[space + 1] / groups;

    // Splits off the groups: input [n, space, g, i] or [g, n, space, i], kernel [space, i, g, o].
    Dims split(input_shape.begin(), input_shape.end());
    if (batch_groups) {
      split[0] = batch;
      split.insert(split.begin(), groups);
    } else {
      split.back() = groups;
      split.push_back(input_features);
    }
    input = Reshaped(b, input, split);
    Dims kernel_split(kernel_shape.begin(), kernel_shape.end());
    kernel_split.back() = groups;
    kernel_split.push_back(output_features);
    kernel = Reshaped(b, kernel, kernel_split);

    llvm::SmallVector<mlir::utils::IteratorType> iterators;
    const auto loop = [&](mlir::utils::IteratorType kind) {
      iterators.push_back(kind);
      return b.getAffineDimExpr(static_cast<unsigned>(iterators.size() - 1));
    };
    Dims result_shape = {batch};
    llvm::SmallVector<AffineExpr> result_map = {loop(kParallel)};
    for (int64_t dim : numbers.getOutputSpatialDimensions()) {
      result_map.push_back(loop(kParallel));
      result_shape.push_back(type.getDimSize(dim));
    }
    llvm::SmallVector<AffineExpr> input_map = {result_map[0]}, kernel_map;
    for (size_t i = 0; i < space; ++i) {
      AffineExpr k = loop(kReduction);
      kernel_map.push_back(k);
      input_map.push_back(result_map[1 + i] * At(op.getWindowStrides(), i, 1) + k * At(op.getRhsDilation(), i, 1));
    }
    AffineExpr i = loop(kReduction);
    AffineExpr g = loop(kParallel);
    AffineExpr o = loop(kParallel);
    input_map.insert(batch_groups ? input_map.begin() : input_map.end(), g);
    input_map.push_back(i);
    kernel_map.append({i, g, o});
    result_map.append({g, o});
    result_shape.append({groups, output_features});

    const unsigned loops = static_cast<unsigned>(iterators.size());
    const auto map = [&](llvm::ArrayRef<AffineExpr> exprs) { return AffineMap::get(loops, 0, exprs, b.getContext()); };
    RankedTensorType grouped = RankedTensorType::get(result_shape, type.getElementType());
    Value result = Contract(b, grouped, ElementOf(op.getType()), {input, ElementOf(op.getLhs().getType())},
                            {kernel, ElementOf(op.getRhs().getType())},
                            {map(input_map), map(kernel_map), map(result_map)}, iterators);
    Dims merged(result_shape.begin(), result_shape.end() - 2);
    merged.push_back(groups * output_features);
    return Output(b, op, Reshaped(b, result, merged));
  }

 private:
  static int64_t At(std::optional<llvm::ArrayRef<int64_t>> values, size_t index, int64_t value) {
    return values && !values->empty() ? (*values)[index] : value;
  }

  // lhs as [batch, space..., feature], dilated and padded.
  static Value Input(mlir::ImplicitLocOpBuilder& b, OpT op, typename OpT::Adaptor adaptor) {
    const auto numbers = op.getDimensionNumbers();
    Dims order = {numbers.getInputBatchDimension()};
    llvm::append_range(order, numbers.getInputSpatialDimensions());
    order.push_back(numbers.getInputFeatureDimension());
    Value input = Transposed(b, adaptor.getLhs(), order);
    const size_t rank = order.size();
    Value zero = ScalarConstant(b, ElementOf(input.getType()), 0);
    if constexpr (std::is_same_v<OpT, stablehlo::DynamicConvOp>) {
      // The extent that windows reach follows from the result.
      Dims shape(ShapeOf(input));
      ValueList low(rank, ConstantIndex(b, 0)), step(rank, ConstantIndex(b, 1));
      const auto result = mlir::cast<mlir::ShapedType>(op.getType()).getShape();
      for (size_t i = 0; i + 2 < rank; ++i) {
        const int64_t window =
            (ShapeOf(adaptor.getRhs())[numbers.getKernelSpatialDimensions()[i]] - 1) * At(op.getRhsDilation(), i, 1);
        shape[i + 1] = (result[numbers.getOutputSpatialDimensions()[i]] - 1) * At(op.getWindowStrides(), i, 1) +
                       std::max<int64_t>(window, 0) + 1;
        ValueList at = {ConstantIndex(b, static_cast<int64_t>(i)), ConstantIndex(b, 0)};
        low[i + 1] = ToIndex(b, mlir::tensor::ExtractOp::create(b, adaptor.getPadding(), at),
                             ElementOf(op.getPadding().getType()));
        step[i + 1] = ConstantIndex(b, At(op.getLhsDilation(), i, 1));
      }
      return PaddedAtRunTime(b, WithShape(input, shape), input, zero, low, step);
    } else {
      Dims low(rank, 0), high(rank, 0), interior(rank, 0);
      for (size_t i = 0; i + 2 < rank; ++i) {
        interior[i + 1] = At(op.getLhsDilation(), i, 1) - 1;
        if (auto padding = op.getPadding()) {
          low[i + 1] = padding->template getValues<int64_t>()[{i, 0}];
          high[i + 1] = padding->template getValues<int64_t>()[{i, 1}];
        }
      }
      return Padded(b, input, zero, low, high, interior);
    }
  }

  // rhs as [space..., input feature, output feature], reversed in the dimensions in which the window is.
  static Value Kernel(mlir::ImplicitLocOpBuilder& b, OpT op, Value rhs) {
    const auto numbers = op.getDimensionNumbers();
    Dims order(numbers.getKernelSpatialDimensions());
    order.append({numbers.getKernelInputFeatureDimension(), numbers.getKernelOutputFeatureDimension()});
    Dims reversed;
    if (auto reversal = op.getWindowReversal()) {
      for (auto [i, reverse] : llvm::enumerate(*reversal)) {
        if (reverse) reversed.push_back(static_cast<int64_t>(i));
      }
    }
    return Reversed(b, Transposed(b, rhs, order), reversed);
  }

  // Transposes [batch, space..., feature] to the layout of the result.
  static Value Output(mlir::ImplicitLocOpBuilder& b, OpT op, Value result) {
    const auto numbers = op.getDimensionNumbers();
    const size_t rank = ShapeOf(result).size();
    Dims order(rank);
    order[numbers.getOutputBatchDimension()] = 0;
    for (auto [i, dim] : llvm::enumerate(numbers.getOutputSpatialDimensions()))
      order[dim] = static_cast<int64_t>(i) + 1;
    order[numbers.getOutputFeatureDimension()] = static_cast<int64_t>(rank) - 1;
    return Transposed(b, result, order);
  }
};

}  // namespace

Value Contract(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, mlir::Type element, Factor lhs, Factor rhs,
               llvm::ArrayRef<AffineMap> maps, llvm::ArrayRef<mlir::utils::IteratorType> iterators) {
  mlir::Type sum = AccumulatorOf(element);
  RankedTensorType sum_type = RankedTensorType::get(type.getShape(), sum);
  Value result =
      Generic(b, {lhs.tensor, rhs.tensor}, Filled(b, sum_type, ScalarConstant(b, sum, 0)), maps, iterators,
              [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
                return ValueList{MultiplyAdd(inner, scalars[0], lhs.element, scalars[1], rhs.element, scalars.back())};
              })[0];
  if (sum_type == type) return result;
  return Pointwise(b, type, result, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
    return ValueList{EmitConvert(inner, scalars[0], sum, element)};
  });
}

void PopulateContractions(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<DotGeneralPattern, DotPattern, ConvolutionPattern<stablehlo::ConvolutionOp>,
               ConvolutionPattern<stablehlo::DynamicConvOp>>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
