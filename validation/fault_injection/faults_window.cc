// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions and windows over the wrong elements.
#include <algorithm>
#include <cmath>

#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/movement.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Tensor;
using reference::Values;

constexpr const char* kConvolution = "stablehlo.convolution";
constexpr const char* kWindow = "stablehlo.reduce_window";
constexpr const char* kScatter = "stablehlo.select_and_scatter";

size_t Spatial(FaultyOp& faulty) {
  auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(faulty.op());
  return conv ? conv.getDimensionNumbers().getInputSpatialDimensions().size()
              : static_cast<size_t>(faulty.in(0).rank());
}

// Computes the op with a changed list attribute.
OpFault Edit(const std::string& attribute, int64_t otherwise, const IntsFn& change, size_t per_dim = 1) {
  return [=](FaultyOp& faulty) { return faulty.WithInts(attribute, per_dim * Spatial(faulty), otherwise, change); };
}

void AllOnes(std::vector<int64_t>& v) { v.assign(v.size(), 1); }

void ShiftPadding(std::vector<int64_t>& v) {
  for (size_t i = v.size(); i >= 2; i -= 2) {
    if (v[i - 2] == 0 && v[i - 1] == 0) continue;
    --v[i - 2];
    ++v[i - 1];
    return;
  }
}

// All padding on the low side, or its odd half on the other side: SAME_LOWER for SAME_UPPER.
void SwapPadding(std::vector<int64_t>& v) {
  for (size_t i = 0; i + 1 < v.size(); i += 2) std::swap(v[i], v[i + 1]);
}

Expected<Values> KernelReversed(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  for (const int64_t d : numbers.getKernelSpatialDimensions()) faulty.in(1) = Reversed(faulty.in(1), d);
  return faulty.Right();
}

Expected<Values> KernelTransposed(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  const auto dims = numbers.getKernelSpatialDimensions();
  if (dims.size() >= 2) faulty.in(1) = Exchanged(faulty.in(1), dims[0], dims[1]);
  return faulty.Right();
}

Expected<Values> InputTransposed(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  const auto dims = numbers.getInputSpatialDimensions();
  if (dims.size() >= 2) faulty.in(0) = Exchanged(faulty.in(0), dims[0], dims[1]);
  return faulty.Right();
}

// A kernel whose output features are in the place of the input features.
Expected<Values> KernelFeaturesExchanged(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  faulty.in(1) =
      Exchanged(faulty.in(1), numbers.getKernelInputFeatureDimension(), numbers.getKernelOutputFeatureDimension());
  return faulty.Right();
}

// Group g computes the features of group g + 1.
Expected<Values> GroupsShifted(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  const int64_t groups = faulty.context().Int("feature_group_count", 1);
  if (groups < 2) return faulty.Right();
  const int64_t d = numbers.getInputFeatureDimension();
  const int64_t n = faulty.in(0).dim(d);
  faulty.in(0) = Rearranged(faulty.in(0), d, [n, by = n / groups](int64_t at) { return (at + by) % n; });
  return faulty.Right();
}

// Every group is convolved with the kernels of the first.
Expected<Values> OneGroupOfKernels(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  const int64_t groups = faulty.context().Int("feature_group_count", 1);
  if (groups < 2) return faulty.Right();
  const int64_t d = numbers.getKernelOutputFeatureDimension();
  faulty.in(1) =
      Rearranged(faulty.in(1), d, [per_group = faulty.in(1).dim(d) / groups](int64_t at) { return at % per_group; });
  return faulty.Right();
}

// The elements at the border are repeated instead of zeros, as texture units do.
Expected<Values> PadsWithBorder(FaultyOp& faulty) {
  const auto numbers = llvm::cast<stablehlo::ConvolutionOp>(faulty.op()).getDimensionNumbers();
  const auto dims = numbers.getInputSpatialDimensions();
  const std::vector<int64_t> padding = faulty.context().IntsOr("padding", 2 * dims.size(), 0);
  const std::vector<int64_t> dilation = faulty.context().IntsOr("lhs_dilation", dims.size(), 1);
  if (std::ranges::any_of(padding, [](int64_t p) { return p < 0; })) return faulty.Right();
  if (std::ranges::any_of(dilation, [](int64_t d) { return d != 1; })) return faulty.Right();
  Tensor& x = faulty.in(0);
  const auto rank = static_cast<size_t>(x.rank());
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t n = x.dim(dims[i]);
    const int64_t before = padding[2 * i];
    std::vector<int64_t> low(rank, 0);
    std::vector<int64_t> high(rank, 0);
    low[static_cast<size_t>(dims[i])] = before;
    high[static_cast<size_t>(dims[i])] = padding[2 * i + 1];
    x = reference::Pad(x, Tensor::Zeros(x.type(), {}), low, high, std::vector<int64_t>(rank, 0));
    x = Rearranged(x, dims[i], [=](int64_t at) { return std::clamp<int64_t>(at, before, before + n - 1); });
  }
  return faulty.WithInts("padding", 2 * dims.size(), 0, [](auto& v) { v.assign(v.size(), 0); });
}

// The window of the last output position is not computed.
Expected<Values> LastPositionLeft(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  Tensor& t = (*results)[0].tensor();
  if (t.size() > 0) EachIndexed(t, [&](double v, int64_t i) { return i == t.size() - 1 ? 0 : v; });
  return results;
}

Expected<Values> PadWithZero(FaultyOp& faulty) {
  Tensor& x = faulty.in(0);
  const auto rank = static_cast<size_t>(x.rank());
  const std::vector<int64_t> padding = faulty.context().IntsOr("padding", 2 * rank, 0);
  if (faulty.size() != 2 || std::ranges::all_of(padding, [](int64_t p) { return p == 0; })) return faulty.Right();
  if (!faulty.context().Ints("base_dilations").empty() &&
      std::ranges::any_of(faulty.context().Ints("base_dilations"), [](int64_t d) { return d != 1; })) {
    return faulty.Right();
  }
  std::vector<int64_t> low(rank);
  std::vector<int64_t> high(rank);
  for (size_t d = 0; d < rank; ++d) {
    low[d] = padding[2 * d];
    high[d] = padding[2 * d + 1];
  }
  x = reference::Pad(x, Tensor::Zeros(x.type(), {}), low, high, std::vector<int64_t>(rank, 0));
  return faulty.WithInts("padding", 2 * rank, 0, [](auto& v) { v.assign(v.size(), 0); });
}

// Every compare of the select region has the other strictness: of equal elements another one is selected.
Expected<Values> OtherTie(FaultyOp& faulty) {
  using Direction = stablehlo::ComparisonDirection;
  stablehlo::CompareOp found;
  faulty.op()->getRegion(0).walk([&](stablehlo::CompareOp compare) { found = compare; });
  if (!found) return faulty.Right();
  const auto was = found->getAttrOfType<stablehlo::ComparisonDirectionAttr>("comparison_direction");
  const Direction now = was.getValue() == Direction::GE ? Direction::GT : Direction::GE;
  found->setAttr("comparison_direction", stablehlo::ComparisonDirectionAttr::get(found->getContext(), now));
  Expected<Values> results = faulty.Right();
  found->setAttr("comparison_direction", was);
  return results;
}

}  // namespace

void AddWindowFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("conv_window_off_by_one", "windows start one element late", kConvolution, Edit("padding", 0, &ShiftPadding, 2));
  op("conv_padding_sides_swapped", "low and high padding exchanged", kConvolution, Edit("padding", 0, &SwapPadding, 2));
  op("conv_stride_ignored", "windows start one element apart", kConvolution, Edit("window_strides", 1, &AllOnes));
  op("conv_lhs_dilation_ignored", "lhs_dilation is taken as 1", kConvolution, Edit("lhs_dilation", 1, &AllOnes));
  op("conv_rhs_dilation_ignored", "rhs_dilation is taken as 1", kConvolution, Edit("rhs_dilation", 1, &AllOnes));
  op("conv_negative_padding_ignored", "negative padding is taken as 0", kConvolution,
     Edit("padding", 0, [](auto& v) { std::ranges::for_each(v, [](int64_t& p) { p = std::max<int64_t>(p, 0); }); }, 2));
  op("conv_reversal_ignored", "window_reversal is ignored", kConvolution,
     Edit("window_reversal", 0, [](auto& v) { v.assign(v.size(), 0); }));
  op("conv_kernel_turned", "a convolution in the sense of mathematics: the kernel reversed", kConvolution,
     &KernelReversed);
  op("conv_kernel_transposed", "height and width of a square kernel exchanged", kConvolution, &KernelTransposed);
  op("conv_kernel_features_exchanged", "input and output features of a kernel with as many of both exchanged",
     kConvolution, &KernelFeaturesExchanged);
  op("conv_input_transposed", "height and width of a square image exchanged", kConvolution, &InputTransposed);
  op("conv_padding_ignored", "padding is taken as 0", kConvolution,
     Edit("padding", 0, [](auto& v) { v.assign(v.size(), 0); }, 2));
  op("conv_pads_with_border", "the padding repeats the elements at the border", kConvolution, &PadsWithBorder);
  op("conv_groups_turned", "each feature group reads the next one's features", kConvolution, &GroupsShifted);
  op("conv_groups_one_kernel", "every feature group uses the kernels of the first", kConvolution, &OneGroupOfKernels);
  op("conv_last_position_left", "the last position is not computed", kConvolution, &LastPositionLeft);
  op("pool_window_short", "windows are one element short", kWindow, Edit("window_dimensions", 1, [](auto& v) {
       for (int64_t& n : v) n = std::max<int64_t>(1, n - 1);
     }));
  op("pool_window_off_by_one", "windows start one element late", kWindow, Edit("padding", 0, &ShiftPadding, 2));
  op("pool_stride_ignored", "windows start one element apart", kWindow, Edit("window_strides", 1, &AllOnes));
  op("pool_window_dilation_ignored", "window_dilations are taken as 1", kWindow, Edit("window_dilations", 1, &AllOnes));
  op("pool_base_dilation_ignored", "base_dilations are taken as 1", kWindow, Edit("base_dilations", 1, &AllOnes));
  op("pool_pads_with_zero", "the padding holds 0 instead of the initial value", kWindow, &PadWithZero);
  op("select_and_scatter_other_tie", "of equal elements another one is selected", kScatter, &OtherTie);
  op("select_and_scatter_stride_ignored", "windows start one element apart", kScatter,
     Edit("window_strides", 1, &AllOnes));
  op("select_and_scatter_adds_once", "of overlapping windows the last one wins", kScatter, [](FaultyOp& faulty) {
    // The sum is removed: the scatter region returns its second argument.
    mlir::Operation& end = faulty.op()->getRegion(1).front().back();
    const mlir::Value was = end.getOperand(0);
    end.setOperand(0, faulty.op()->getRegion(1).front().getArgument(1));
    Expected<Values> results = faulty.Right();
    end.setOperand(0, was);
    return results;
  });
}

}  // namespace opbyop::fault_injection
