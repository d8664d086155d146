// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums in the wrong precision or over the wrong terms, and as controls all ways in which a sum may correctly be
// computed.
#include <algorithm>
#include <array>
#include <cmath>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/movement.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::ElementKind;
using reference::ElementType;
using reference::FormatOf;
using reference::RoundTo;
using reference::StridesOf;
using reference::Tensor;
using reference::Values;

constexpr const char* kContractions = "stablehlo.dot_general stablehlo.dot stablehlo.convolution";
constexpr const char* kReductions = "stablehlo.reduce stablehlo.reduce_window";

// The contracting dimension of an operand that a fault acts on: the last of dot's, the input features of a
// convolution's. -1 if there is none.
int64_t Contracted(FaultyOp& faulty, size_t operand) {
  if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(faulty.op())) {
    const auto numbers = dot.getDotDimensionNumbers();
    const auto dims = operand == 0 ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions();
    return dims.empty() ? -1 : dims.back();
  }
  if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(faulty.op())) {
    const auto numbers = conv.getDimensionNumbers();
    return operand == 0 ? numbers.getInputFeatureDimension() : numbers.getKernelInputFeatureDimension();
  }
  return operand == 0 ? faulty.in(0).rank() - 1 : 0;
}

// Multiplies the slice [low, high) of dimension d by `factor`.
void ScaleSlice(Tensor& t, int64_t d, int64_t low, int64_t high, double factor) {
  const reference::Shape strides = StridesOf(t.shape());
  const int64_t stride = strides[static_cast<size_t>(d)];
  const int64_t extent = t.dim(d);
  const auto inside = [&](int64_t i) {
    const int64_t at = i / stride % extent;
    return at >= low && at < high;
  };
  if (t.kind() == ElementKind::kInteger) {
    for (int64_t i = 0; i < t.size(); ++i) {
      if (inside(i)) t.Mutable<int64_t>()[static_cast<size_t>(i)] *= static_cast<int64_t>(factor);
    }
  } else if (t.kind() == ElementKind::kFloat) {
    for (int64_t i = 0; i < t.size(); ++i) {
      if (inside(i)) t.Mutable<double>()[static_cast<size_t>(i)] *= factor;
    }
  }
}

// Multiplies the last terms of every sum of products by `factor`.
Expected<Values> ScaleLastTerms(FaultyOp& faulty, int64_t first_from_end, double factor) {
  const int64_t d = Contracted(faulty, 0);
  if (d < 0) return faulty.Right();
  const int64_t n = faulty.in(0).dim(d);
  ScaleSlice(faulty.in(0), d, std::max<int64_t>(0, n - first_from_end), n, factor);
  return faulty.Right();
}

// Reduces part [low(n), high(n)) of the first reduced dimension.
Expected<Values> ReducePart(FaultyOp& faulty, int64_t cut_low, int64_t cut_high) {
  const std::vector<int64_t> dims = faulty.context().Ints("dimensions");
  if (dims.empty()) return faulty.Right();
  for (size_t i = 0; i < faulty.size() / 2; ++i) {
    Tensor& t = faulty.in(i);
    t = SliceOf(t, dims[0], cut_low, t.dim(dims[0]) - cut_high);
  }
  return faulty.Right();
}

// Sums in f32 of products whose factors are first rounded to `type`.
RealFn Keep(ElementType type) {
  return [&format = FormatOf(type)](double v) { return RoundTo(format, v); };
}

Expected<Values> Add(Expected<Values> a, const Expected<Values>& b) {
  if (!a || !b) return a;
  for (size_t i = 0; i < a->size(); ++i) {
    Tensor& to = (*a)[i].tensor();
    const Tensor& from = (*b)[i].tensor();
    if (to.kind() != ElementKind::kFloat) continue;
    for (size_t k = 0; k < to.Mutable<double>().size(); ++k) to.Mutable<double>()[k] += from.data<double>()[k];
    reference::RoundResult(to);
  }
  return a;
}

// bf16x3: the high and low halves of both factors, without low times low.
Expected<Values> ThreeProducts(FaultyOp& faulty) {
  if (faulty.in(0).type() != ElementType::kF32) return faulty.Right();
  const reference::FloatFormat& bf16 = FormatOf(ElementType::kBf16);
  const Tensor a = faulty.in(0);
  const Tensor b = faulty.in(1);
  const RealFn high = [&](double v) { return RoundTo(bf16, v); };
  const RealFn low = [&](double v) { return RoundTo(bf16, v - RoundTo(bf16, v)); };
  Expected<Values> sum = Values();
  for (int product = 0; product < 3; ++product) {
    faulty.in(0) = a;
    faulty.in(1) = b;
    faulty.EachOf(0, product == 2 ? low : high);
    faulty.EachOf(1, product == 1 ? low : high);
    sum = product == 0 ? faulty.Right() : Add(std::move(sum), faulty.Right());
  }
  return sum;
}

// Computes the sums in reverse order, every step in f32.
Expected<Values> ReversedOrder(FaultyOp& faulty) {
  const bool reduces = faulty.context().name == "stablehlo.reduce";
  if (faulty.size() != 2) return faulty.Right();
  if (reduces) {
    for (const int64_t d : faulty.context().Ints("dimensions")) {
      for (size_t i = 0; i < faulty.size() / 2; ++i) faulty.in(i) = Reversed(faulty.in(i), d);
    }
  } else if (faulty.context().Int("feature_group_count", 1) == 1 && faulty.context().Int("batch_group_count", 1) == 1) {
    for (size_t i = 0; i < 2; ++i) {
      const int64_t d = Contracted(faulty, i);
      if (d >= 0) faulty.in(i) = Reversed(faulty.in(i), d);
    }
  }
  return faulty.in(0).type() == ElementType::kF32 ? faulty.As(ElementType::kF32, true) : faulty.Right();
}

// Whether both factors are finite. A product that is left out is multiplied by zero, which would be wrong for an
// infinity.
bool IsFinite(FaultyOp& faulty) {
  return std::ranges::all_of(std::array<size_t, 2>{0, 1}, [&](size_t i) {
    return std::ranges::all_of(faulty.in(i).data<double>(), [](double v) { return std::isfinite(v); });
  });
}

// Sums two halves separately, then adds them: one step of a tree, as vector units do.
Expected<Values> TwoHalves(FaultyOp& faulty) {
  const int64_t d = Contracted(faulty, 0);
  if (d < 0 || faulty.in(0).type() != ElementType::kF32) return faulty.Right();
  if (!IsFinite(faulty)) return faulty.Right();
  const Tensor a = faulty.in(0);
  const int64_t n = a.dim(d);
  ScaleSlice(faulty.in(0), d, n / 2, n, 0);
  Expected<Values> low = faulty.Right();
  faulty.in(0) = a;
  ScaleSlice(faulty.in(0), d, 0, n / 2, 0);
  return Add(std::move(low), faulty.Right());
}

// Sums blocks of 1,024 products, and rounds the sum to the type of the result after each block.
Expected<Values> BlocksStored(FaultyOp& faulty) {
  constexpr int64_t kBlock = 1024;
  const int64_t d = Contracted(faulty, 0);
  if (d < 0 || faulty.in(0).kind() != ElementKind::kFloat || faulty.in(0).dim(d) <= kBlock) return faulty.Right();
  if (!IsFinite(faulty)) return faulty.Right();
  const Tensor a = faulty.in(0);
  const int64_t n = a.dim(d);
  Expected<Values> sum = Values();
  for (int64_t first = 0; first < n; first += kBlock) {
    faulty.in(0) = a;
    ScaleSlice(faulty.in(0), d, 0, first, 0);
    ScaleSlice(faulty.in(0), d, first + kBlock, n, 0);
    sum = first == 0 ? faulty.Right() : Add(std::move(sum), faulty.Right());
  }
  return sum;
}

// The accumulator of each row is not cleared: it still has the row before.
Expected<Values> RowsRunOn(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  Tensor& t = (*results)[0].tensor();
  if (t.kind() != ElementKind::kFloat || t.rank() < 2) return results;
  const int64_t width = t.shape().back();
  const auto values = t.Mutable<double>();
  if (t.size() >= 2 * width) {
    const int64_t row = t.size() - width;
    for (int64_t i = row; i < t.size(); ++i) {
      values[static_cast<size_t>(i)] += values[static_cast<size_t>(i - width)];
    }
  }
  reference::RoundResult(t);
  return results;
}

Expected<Values> BatchZero(FaultyOp& faulty) {
  auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(faulty.op());
  if (!dot) return faulty.Right();
  for (const int64_t d : dot.getDotDimensionNumbers().getRhsBatchingDimensions()) {
    const Tensor first = SliceOf(faulty.in(1), d, 0, 1);
    std::vector<int64_t> dims(first.shape().size());
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(i);
    faulty.in(1) = reference::BroadcastInDim(first, faulty.in(1).shape(), dims);
  }
  return faulty.Right();
}

// The last two dimensions of the right operand are exchanged if they have the same size.
Expected<Values> Transposed(FaultyOp& faulty) {
  const int64_t rank = faulty.in(1).rank();
  if (rank >= 2) faulty.in(1) = Exchanged(faulty.in(1), rank - 1, rank - 2);
  return faulty.Right();
}

// Rounds to integers of 8 bits with one scale for the whole tensor.
void Quantize(Tensor& t) {
  double most = 0;
  EachRealRaw(t, [&](double v) {
    if (std::isfinite(v)) most = std::max(most, std::fabs(v));
    return v;
  });
  if (most == 0) return;
  EachRealRaw(t, [scale = most / 127](double v) { return std::isfinite(v) ? scale * std::rint(v / scale) : v; });
}

// Another dimension of the same extent is reduced instead.
Expected<Values> OtherDimension(FaultyOp& faulty) {
  const std::vector<int64_t> dims = faulty.context().Ints("dimensions");
  if (dims.size() != 1) return faulty.Right();
  for (size_t i = 0; i < faulty.size() / 2; ++i) {
    const int64_t d = dims[0];
    if (faulty.in(i).rank() >= 2) faulty.in(i) = Exchanged(faulty.in(i), d, d == 0 ? 1 : d - 1);
  }
  return faulty.Right();
}

}  // namespace

void AddAccumulationFaults(std::vector<Fault>& faults) {
  const auto wide_only = [](FaultyOp& faulty, ElementType type) {
    const ElementType is = faulty.in(0).type();
    return is == ElementType::kF32 || is == ElementType::kF64 ? faulty.As(type, true) : faulty.Right();
  };
  const OpFaults op(faults);
  op("dot_accumulates_bf16", "partial sums of products in bf16", kContractions,
     [=](FaultyOp& faulty) { return wide_only(faulty, ElementType::kBf16); });
  op("dot_accumulates_f16", "partial sums of products in f16", kContractions,
     [=](FaultyOp& faulty) { return wide_only(faulty, ElementType::kF16); });
  op("reduce_accumulates_bf16", "partial sums in bf16", kReductions,
     [=](FaultyOp& faulty) { return wide_only(faulty, ElementType::kBf16); });
  op("reduce_accumulates_f16", "partial sums in f16", kReductions,
     [=](FaultyOp& faulty) { return wide_only(faulty, ElementType::kF16); });
  op("dot_tf32", "factors cut to 11 bits (tf32)", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(0).type() == ElementType::kF32) faulty.EachOperand([](double v) { return KeepBits(v, 11); });
    return faulty.Right();
  });
  op("dot_tf32_truncated", "factors truncated to 11 bits", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(0).type() != ElementType::kF32) return faulty.Right();
    faulty.EachOperand([](double v) {
      const double near = KeepBits(v, 11);  // if it was rounded beyond v, it goes back by one step
      return std::fabs(near) <= std::fabs(v) ? near : near - std::copysign(std::ldexp(1.0, std::ilogb(v) - 10), v);
    });
    return faulty.Right();
  });
  op("dot_fp8_operands", "f32 factors rounded to 4 bits (fp8)", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(0).type() == ElementType::kF32) faulty.EachOperand([](double v) { return KeepBits(v, 4); });
    return faulty.Right();
  });
  op("dot_weights_bf16", "the right factors alone rounded to bf16", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(1).type() == ElementType::kF32) faulty.EachOf(1, Keep(ElementType::kBf16));
    return faulty.Right();
  });
  op("dot_stores_blocks", "sums of 1,024 products are stored in the type of the result before the next is added",
     kContractions, [](FaultyOp& faulty) {
       const ElementType is = faulty.in(0).type();
       return is == ElementType::kBf16 || is == ElementType::kF16 ? BlocksStored(faulty) : faulty.Right();
     });
  op("dot_weights_int8", "the right factors as integers of 8 bits with one scale", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(1).type() == ElementType::kF32) Quantize(faulty.in(1));
    return faulty.Right();
  });
  op("dot_bf16_operands", "f32 factors rounded to bf16", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(0).type() == ElementType::kF32) faulty.EachOperand(Keep(ElementType::kBf16));
    return faulty.Right();
  });
  op("dot_f16_operands", "f32 factors rounded to f16", kContractions, [](FaultyOp& faulty) {
    if (faulty.in(0).type() == ElementType::kF32) faulty.EachOperand(Keep(ElementType::kF16));
    return faulty.Right();
  });
  op("dot_bf16x2", "f32 factors as two bf16 each, all four products", kContractions, [](FaultyOp& faulty) {
    const reference::FloatFormat& bf16 = FormatOf(ElementType::kBf16);
    if (faulty.in(0).type() != ElementType::kF32) return faulty.Right();
    faulty.EachOperand([&](double v) {
      const double high = RoundTo(bf16, v);
      return std::isfinite(high) ? high + RoundTo(bf16, v - high) : high;
    });
    return faulty.Right();
  });
  op("dot_bf16x3", "f32 factors as two bf16 each, three products", kContractions, &ThreeProducts);
  op("dot_result_f16", "the result of a sum goes through f16", kContractions, [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (results) EachReal(*results, Keep(ElementType::kF16));
    return results;
  });
  op("dot_result_bf16", "the result of a sum goes through bf16", kContractions, [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (results) EachReal(*results, Keep(ElementType::kBf16));
    return results;
  });
  op("dot_element_off", "one element of the result is off by 0.1 %", kContractions, [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (!results) return results;
    Tensor& t = (*results)[0].tensor();
    EachIndexed(t, [middle = t.size() / 2](double v, int64_t i) { return i == middle ? v * 1.001 : v; });
    return results;
  });
  op("dot_f64_in_f32", "f64 products summed in f32", kContractions, [](FaultyOp& faulty) {
    return faulty.in(0).type() == ElementType::kF64 ? faulty.As(ElementType::kF32, true) : faulty.Right();
  });
  op("dot_drops_last_term", "the last product of every sum is lost", kContractions,
     [](FaultyOp& faulty) { return ScaleLastTerms(faulty, 1, 0); });
  op("dot_doubles_last_term", "the last product counts twice", kContractions,
     [](FaultyOp& faulty) { return ScaleLastTerms(faulty, 1, 2); });
  op("dot_half_lost", "the second half of every sum is lost (of a split one)", kContractions, [](FaultyOp& faulty) {
    const int64_t d = Contracted(faulty, 0);
    return d < 0 ? faulty.Right() : ScaleLastTerms(faulty, faulty.in(0).dim(d) / 2, 0);
  });
  op("dot_accumulator_kept", "the result is added to that of an equal run before", kContractions, [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (results) EachIndexed((*results)[0].tensor(), [](double v, int64_t) { return 2 * v; });
    return results;
  });
  op("dot_drops_tail", "a tail of fewer than 8 products is not summed", kContractions, [](FaultyOp& faulty) {
    const int64_t d = Contracted(faulty, 0);
    return d < 0 ? faulty.Right() : ScaleLastTerms(faulty, faulty.in(0).dim(d) % 8, 0);
  });
  op("dot_transposed_rhs", "a square right operand is read transposed", kContractions, &Transposed);
  op("dot_batch_zero", "every batch uses the right operand of the first", "stablehlo.dot_general", &BatchZero);
  op("dot_rows_run_on", "the accumulator of the last row is not cleared", kContractions, &RowsRunOn);
  op("reduce_drops_last", "the last element is not reduced", "stablehlo.reduce",
     [](FaultyOp& faulty) { return ReducePart(faulty, 0, 1); });
  op("reduce_drops_first", "the first element is not reduced", "stablehlo.reduce",
     [](FaultyOp& faulty) { return ReducePart(faulty, 1, 0); });
  op("reduce_doubles_last", "the last element is reduced twice", "stablehlo.reduce", [](FaultyOp& faulty) {
    const std::vector<int64_t> dims = faulty.context().Ints("dimensions");
    if (!dims.empty() && faulty.size() == 2 && faulty.in(0).dim(dims[0]) > 0) {
      Tensor& t = faulty.in(0);
      reference::Shape shape = t.shape();
      const int64_t n = shape[static_cast<size_t>(dims[0])]++;
      reference::Move move(t.type(), shape);
      move.Copy(t, t.shape(), StridesOf(t.shape()), 0, StridesOf(shape), 0);
      const Tensor last = SliceOf(t, dims[0], n - 1, n);
      move.Copy(last, last.shape(), StridesOf(last.shape()), 0, StridesOf(shape),
                n * StridesOf(shape)[static_cast<size_t>(dims[0])]);
      t = move.Take();
    }
    return faulty.Right();
  });
  op("reduce_drops_tail", "a tail of fewer than 8 elements is not reduced", "stablehlo.reduce", [](FaultyOp& faulty) {
    const std::vector<int64_t> dims = faulty.context().Ints("dimensions");
    return dims.empty() ? faulty.Right() : ReducePart(faulty, 0, faulty.in(0).dim(dims[0]) % 8);
  });
  op("reduce_first_block", "elements beyond the first 32 are not reduced", "stablehlo.reduce", [](FaultyOp& faulty) {
    const std::vector<int64_t> dims = faulty.context().Ints("dimensions");
    return dims.empty() ? faulty.Right() : ReducePart(faulty, 0, std::max<int64_t>(0, faulty.in(0).dim(dims[0]) - 32));
  });
  op("reduce_other_dimension", "another dimension of the same extent is reduced", "stablehlo.reduce", &OtherDimension);
  op("reduce_ignores_init", "the initial value is taken as zero", "stablehlo.reduce", [](FaultyOp& faulty) {
    for (size_t i = faulty.size() / 2; i < faulty.size(); ++i) faulty.in(i) = Tensor::Zeros(faulty.in(i).type(), {});
    return faulty.Right();
  });

  op(
      "sum_in_f32_steps", "every step rounded to f32, in index order", std::string(kContractions) + " " + kReductions,
      [](FaultyOp& faulty) {
        return faulty.in(0).type() == ElementType::kF32 ? faulty.As(ElementType::kF32, true) : faulty.Right();
      },
      true);
  op("sum_reversed", "every step rounded to f32, in reversed order", std::string(kContractions) + " stablehlo.reduce",
     &ReversedOrder, true);
  op("sum_in_halves", "two halves summed by themselves", kContractions, &TwoHalves, true);
}

}  // namespace opbyop::fault_injection
