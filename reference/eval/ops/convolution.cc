// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// convolution and dynamic_conv.
#include "reference/eval/ops/convolution.h"

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/contraction.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

Tensor ZeroOf(const Tensor& t) { return Tensor::Zeros(t.type(), {}); }

DotSums SumsWith(const OpContext& context, const std::vector<int64_t>& padding) {
  const auto numbers = context.op->getAttrOfType<stablehlo::ConvDimensionNumbersAttr>("dimension_numbers");
  const size_t spatial = numbers.getInputSpatialDimensions().size();
  const std::vector<int64_t> stride = context.IntsOr("window_strides", spatial, 1);
  const std::vector<int64_t> lhs_dilation = context.IntsOr("lhs_dilation", spatial, 1);
  const std::vector<int64_t> rhs_dilation = context.IntsOr("rhs_dilation", spatial, 1);
  const std::vector<int64_t> reversal = context.IntsOr("window_reversal", spatial, 0);
  const int64_t feature_groups = context.Int("feature_group_count", 1);
  const int64_t batch_groups = context.Int("batch_group_count", 1);

  const size_t rank = context.in(0).shape().size();
  std::vector<int64_t> low(rank, 0);
  std::vector<int64_t> high(rank, 0);
  std::vector<int64_t> interior(rank, 0);
  for (size_t s = 0; s < spatial; ++s) {
    const auto d = static_cast<size_t>(numbers.getInputSpatialDimensions()[s]);
    low[d] = padding[2 * s];
    high[d] = padding[2 * s + 1];
    interior[d] = lhs_dilation[s] - 1;
  }
  const bool pads = std::ranges::any_of(low, [](int64_t v) { return v != 0; }) ||
                    std::ranges::any_of(high, [](int64_t v) { return v != 0; }) ||
                    std::ranges::any_of(interior, [](int64_t v) { return v != 0; });
  Contraction x{.lhs = pads ? Pad(context.in(0), ZeroOf(context.in(0)), low, high, interior) : context.in(0),
                .rhs = context.in(1)};
  const Shape lhs_strides = StridesOf(x.lhs.shape());
  const Shape rhs_strides = StridesOf(x.rhs.shape());
  const auto at = [](const Shape& list, int64_t d) { return list[static_cast<size_t>(d)]; };

  Shape shape(rank);
  const int64_t batch = x.lhs.dim(numbers.getInputBatchDimension()) / batch_groups;
  const int64_t out_features = x.rhs.dim(numbers.getKernelOutputFeatureDimension());
  const int64_t in_features = x.rhs.dim(numbers.getKernelInputFeatureDimension());
  shape[static_cast<size_t>(numbers.getOutputBatchDimension())] = batch;
  shape[static_cast<size_t>(numbers.getOutputFeatureDimension())] = out_features;
  std::vector<int64_t> out_spatial;
  std::vector<int64_t> window;
  for (size_t s = 0; s < spatial; ++s) {
    window.push_back(x.rhs.dim(numbers.getKernelSpatialDimensions()[s]));
    const int64_t reach = window[s] == 0 ? 0 : (window[s] - 1) * rhs_dilation[s] + 1;
    const int64_t input = x.lhs.dim(numbers.getInputSpatialDimensions()[s]);
    out_spatial.push_back(input == 0 || reach > input ? 0 : (input - reach) / stride[s] + 1);
    shape[static_cast<size_t>(numbers.getOutputSpatialDimensions()[s])] = out_spatial[s];
  }
  const Shape out_strides = StridesOf(shape);

  // Rows: batch, then output positions. Inner: window positions, then input features. Columns: output features.
  std::vector<int64_t> row_extents{batch};
  std::vector<int64_t> row_strides{at(lhs_strides, numbers.getInputBatchDimension())};
  std::vector<int64_t> place_strides{at(out_strides, numbers.getOutputBatchDimension())};
  std::vector<int64_t> inner_extents;
  std::vector<int64_t> lhs_inner_strides;
  std::vector<int64_t> rhs_inner_strides;
  int64_t rhs_origin = 0;
  for (size_t s = 0; s < spatial; ++s) {
    const int64_t lhs_stride = at(lhs_strides, numbers.getInputSpatialDimensions()[s]);
    const int64_t rhs_stride = at(rhs_strides, numbers.getKernelSpatialDimensions()[s]);
    row_extents.push_back(out_spatial[s]);
    row_strides.push_back(lhs_stride * stride[s]);
    place_strides.push_back(at(out_strides, numbers.getOutputSpatialDimensions()[s]));
    inner_extents.push_back(window[s]);
    lhs_inner_strides.push_back(lhs_stride * rhs_dilation[s]);
    rhs_inner_strides.push_back(reversal[s] ? -rhs_stride : rhs_stride);
    if (reversal[s]) rhs_origin += (window[s] - 1) * rhs_stride;
  }
  inner_extents.push_back(in_features);
  lhs_inner_strides.push_back(at(lhs_strides, numbers.getInputFeatureDimension()));
  rhs_inner_strides.push_back(at(rhs_strides, numbers.getKernelInputFeatureDimension()));

  const int64_t groups = feature_groups * batch_groups;
  const int64_t group_features = out_features / groups;
  const int64_t rhs_feature_stride = at(rhs_strides, numbers.getKernelOutputFeatureDimension());
  const int64_t out_feature_stride = at(out_strides, numbers.getOutputFeatureDimension());
  x.lhs_outer = OffsetsOf(row_extents, row_strides);
  x.row_places = OffsetsOf(row_extents, place_strides);
  x.lhs_inner = OffsetsOf(inner_extents, lhs_inner_strides);
  x.rhs_inner = OffsetsOf(inner_extents, rhs_inner_strides);
  x.rhs_outer = OffsetsOf({group_features}, {rhs_feature_stride});
  x.column_places = OffsetsOf({group_features}, {out_feature_stride});
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t lhs_base = feature_groups > 1 ? g * in_features * at(lhs_strides, numbers.getInputFeatureDimension())
                                                : g * batch * at(lhs_strides, numbers.getInputBatchDimension());
    x.blocks.push_back(
        {lhs_base, rhs_origin + g * group_features * rhs_feature_stride, g * group_features * out_feature_stride});
  }
  return {std::move(x), std::move(shape), std::move(row_extents)};
}

Expected<Values> Convolve(const OpContext& context, DotSums sums) {
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  Expected<Tensor> out = Contract(context, std::move(sums.contraction), *type, std::move(sums.shape));
  if (!out) return Unexpected(out.error());
  return Values{std::move(*out)};
}

Expected<Values> Convolution(OpContext& context) {
  Expected<DotSums> sums = SumsOfConvolution(context);
  if (!sums) return Unexpected(sums.error());
  return Convolve(context, std::move(*sums));
}

Expected<Values> DynamicConv(OpContext& context) {
  return Convolve(context, SumsWith(context, context.in(2).Integers()));
}

}  // namespace

Expected<DotSums> SumsOfConvolution(const OpContext& context) {
  const auto numbers = context.op->getAttrOfType<stablehlo::ConvDimensionNumbersAttr>("dimension_numbers");
  return SumsWith(context, context.IntsOr("padding", 2 * numbers.getInputSpatialDimensions().size(), 0));
}

void AddConvolutions(EvalTableType& table) {
  table["stablehlo.convolution"] = &Convolution;
  table["stablehlo.dynamic_conv"] = &DynamicConv;
}

}  // namespace opbyop::reference
