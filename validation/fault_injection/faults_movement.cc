// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements moved to the wrong place.
#include <algorithm>
#include <numeric>

#include "reference/eval/movement.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Tensor;
using reference::Values;

// The operand unchanged, cut to the declared shape.
Expected<Values> Unmoved(FaultyOp& faulty) {
  const auto shape = faulty.context().ResultShape();
  if (!shape) return faulty.Right();
  return Values{FitTo(faulty.in(0), *shape)};
}

OpFault Edit(const std::string& attribute, const IntsFn& change) {
  return
      [=](FaultyOp& faulty) { return faulty.WithInts(attribute, static_cast<size_t>(faulty.in(0).rank()), 0, change); };
}

// result[i, j] = right[j, i] for two equal last dimensions.
Expected<Values> LastTwoExchanged(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  Tensor& t = (*results)[0].tensor();
  if (t.rank() >= 2) t = Exchanged(t, t.rank() - 1, t.rank() - 2);
  return results;
}

// Elements are written in column-major order instead of row-major order.
Expected<Values> ColumnMajor(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  Tensor& t = (*results)[0].tensor();
  if (t.rank() < 2) return results;
  std::vector<int64_t> permutation(static_cast<size_t>(t.rank()));
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  t = reference::Transpose(t, permutation).Reshaped(t.shape());
  return results;
}

Expected<Values> PadSidesSwapped(FaultyOp& faulty) {
  const std::vector<int64_t> low = faulty.context().Ints("edge_padding_low");
  const std::vector<int64_t> high = faulty.context().Ints("edge_padding_high");
  return Values{reference::Pad(faulty.in(0), faulty.in(1), high, low, faulty.context().Ints("interior_padding"))};
}

// The padding value is read as zero.
Expected<Values> PadsWithZero(FaultyOp& faulty) {
  faulty.in(1) = Tensor::Zeros(faulty.in(1).type(), {});
  return faulty.Right();
}

void NotNegative(std::vector<int64_t>& v) {
  for (int64_t& p : v) p = std::max<int64_t>(p, 0);
}

// Rows beyond the last full tile of 8 are not moved.
Expected<Values> LastTileLeft(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  Tensor& t = (*results)[0].tensor();
  if (t.rank() == 0 || t.dim(0) % 8 == 0) return results;
  const int64_t row = reference::StridesOf(t.shape())[0];
  const int64_t tile = t.dim(0) / 8 * 8;
  EachIndexed(t, [&](double v, int64_t i) { return i / row >= tile ? 0 : v; });
  return results;
}

}  // namespace

void AddMovementFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("transpose_ignored", "the elements stay where they are", "stablehlo.transpose", [](FaultyOp& faulty) {
    return faulty.context().ResultShape()
               ? Expected<Values>(Values{faulty.in(0).Reshaped(*faulty.context().ResultShape())})
               : faulty.Right();
  });
  op("transpose_inverse", "the inverse permutation", "stablehlo.transpose", [](FaultyOp& faulty) -> Expected<Values> {
    const std::vector<int64_t> p = faulty.context().Ints("permutation");
    std::vector<int64_t> inverse(p.size());
    for (size_t i = 0; i < p.size(); ++i) inverse[static_cast<size_t>(p[i])] = static_cast<int64_t>(i);
    const Tensor t = reference::Transpose(faulty.in(0), inverse);
    return Values{t.Reshaped(*faulty.context().ResultShape())};
  });
  op("reshape_column_major", "elements in column-major order", "stablehlo.reshape", &ColumnMajor);
  op("broadcast_wrong_dimension", "the operand lies along the other of two equal dimensions",
     "stablehlo.broadcast_in_dim", &LastTwoExchanged);
  op("broadcast_first_element", "the first element is broadcast in the place of all", "stablehlo.broadcast_in_dim",
     [](FaultyOp& faulty) {
       Tensor& t = faulty.in(0);
       if (t.size() > 1) t = Permuted(t, std::vector<int64_t>(static_cast<size_t>(t.size()), 0));
       return faulty.Right();
     });
  op("reverse_ignored", "the elements are not reversed", "stablehlo.reverse", &Unmoved);
  op("reverse_all", "all dimensions are reversed", "stablehlo.reverse", [](FaultyOp& faulty) -> Expected<Values> {
    Tensor t = faulty.in(0);
    for (int64_t d = 0; d < t.rank(); ++d) t = Reversed(t, d);
    return Values{std::move(t)};
  });
  op("slice_stride_ignored", "strides are taken as 1", "stablehlo.slice",
     Edit("strides", [](auto& v) { v.assign(v.size(), 1); }));
  op("slice_off_by_one", "slices start one element early", "stablehlo.slice", Edit("start_indices", [](auto& v) {
       for (int64_t& s : v) s = std::max<int64_t>(0, s - 1);
     }));
  op("slice_start_aligned", "slices start at a multiple of 8", "stablehlo.slice", Edit("start_indices", [](auto& v) {
       for (int64_t& s : v) s = s / 8 * 8;
     }));
  op("slice_end_short", "slices end one element early", "stablehlo.slice", Edit("limit_indices", [](auto& v) {
       if (!v.empty() && v.back() > 1) --v.back();
     }));
  op("concatenate_order", "the first two operands exchanged", "stablehlo.concatenate", [](FaultyOp& faulty) {
    if (faulty.size() >= 2) std::swap(faulty.context().operands[0], faulty.context().operands[1]);
    return faulty.Right();
  });
  op("concatenate_repeats_first", "the first operand in the place of the second", "stablehlo.concatenate",
     [](FaultyOp& faulty) {
       if (faulty.size() >= 2 && faulty.in(0).shape() == faulty.in(1).shape()) faulty.in(1) = faulty.in(0);
       return faulty.Right();
     });
  op("concatenate_last_left", "the last element of the result is not written", "stablehlo.concatenate",
     [](FaultyOp& faulty) {
       Expected<Values> results = faulty.Right();
       if (!results) return results;
       Tensor& t = (*results)[0].tensor();
       EachIndexed(t, [&](double v, int64_t i) { return i == t.size() - 1 ? 0 : v; });
       return results;
     });
  op("pad_with_zero", "the padding value is taken as 0", "stablehlo.pad", &PadsWithZero);
  op("pad_sides_swapped", "low and high padding exchanged", "stablehlo.pad", &PadSidesSwapped);
  op("pad_interior_ignored", "interior padding is taken as 0", "stablehlo.pad",
     Edit("interior_padding", [](auto& v) { v.assign(v.size(), 0); }));
  op("pad_negative_ignored", "negative padding is taken as 0", "stablehlo.pad", Edit("edge_padding_low", &NotNegative));
  op("iota_from_one", "iota counts from 1", "stablehlo.iota", [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (results) EachIndexed((*results)[0].tensor(), [](double v, int64_t) { return v + 1; });
    return results;
  });
  op("iota_in_bf16", "iota counts in bf16", "stablehlo.iota", [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (!results) return results;
    EachIndexed((*results)[0].tensor(), [](double v, int64_t) {
      return reference::RoundTo(reference::FormatOf(reference::ElementType::kBf16), v);
    });
    return results;
  });
  op("iota_wrong_dimension", "iota runs along the other of two equal dimensions", "stablehlo.iota", &LastTwoExchanged);
  op("last_tile_left", "rows beyond the last full tile of 8 are not written",
     "stablehlo.transpose stablehlo.dot_general stablehlo.broadcast_in_dim stablehlo.add", &LastTileLeft);
}

}  // namespace opbyop::fault_injection
