// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batch normalization with other factors and statistics.
#include <cmath>

#include "reference/tensor/tensor.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::ElementType;
using reference::Tensor;
using reference::Values;

constexpr const char* kTraining = "stablehlo.batch_norm_training";
constexpr const char* kInference = "stablehlo.batch_norm_inference";
constexpr const char* kNormalizations = "stablehlo.batch_norm_training stablehlo.batch_norm_inference";

template <typename Fn>
Expected<Values> WithEpsilon(FaultyOp& faulty, Fn&& change) {
  auto epsilon = faulty.op()->getAttrOfType<mlir::FloatAttr>("epsilon");
  if (!epsilon) return faulty.Right();
  return faulty.With("epsilon", mlir::FloatAttr::get(epsilon.getType(), change(epsilon.getValueAsDouble())));
}

// n/(n-1) times the variance.
Expected<Values> Bessel(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  const double n = static_cast<double>(faulty.in(0).size()) / static_cast<double>((*results)[2].tensor().size());
  EachReal((*results)[2].tensor(), [n](double v) { return v * n / (n - 1); });
  return results;
}

double EpsilonOf(FaultyOp& faulty) {
  auto epsilon = faulty.op()->getAttrOfType<mlir::FloatAttr>("epsilon");
  return epsilon ? epsilon.getValueAsDouble() : 0;
}

// scale (x - mean) / (sqrt(variance) + epsilon) + offset.
Expected<Values> EpsilonOutside(FaultyOp& faulty) {
  faulty.EachOf(4, [e = EpsilonOf(faulty)](double v) { return std::pow(std::sqrt(v) + e, 2); });
  return WithEpsilon(faulty, [](double) { return 0.0; });
}

// scale / sqrt(variance + epsilon), which a compiler can compute in advance, kept in bf16.
Expected<Values> FactorInBf16(FaultyOp& faulty) {
  const Tensor variance = faulty.in(4);
  const reference::FloatFormat& bf16 = reference::FormatOf(ElementType::kBf16);
  const auto scale = faulty.in(1).Mutable<double>();
  for (size_t i = 0; i < scale.size(); ++i) {
    const double deviation = std::sqrt(variance.data<double>()[i] + EpsilonOf(faulty));
    if (deviation > 0 && std::isfinite(deviation))
      scale[i] = reference::RoundTo(bf16, scale[i] / deviation) * deviation;
  }
  return faulty.Right();
}

Expected<Values> StatisticsInBf16(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  for (size_t i = 1; i < 3; ++i) {
    EachReal((*results)[i].tensor(),
             [](double v) { return reference::RoundTo(reference::FormatOf(ElementType::kBf16), v); });
  }
  return results;
}

}  // namespace

void AddNormalizationFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("batch_norm_no_epsilon", "epsilon is left out", kNormalizations,
     [](FaultyOp& faulty) { return WithEpsilon(faulty, [](double) { return 0.0; }); });
  op("batch_norm_epsilon_twice", "epsilon is added twice", kNormalizations,
     [](FaultyOp& faulty) { return WithEpsilon(faulty, [](double e) { return 2 * e; }); });
  op("batch_norm_bessel", "the variance is divided by n - 1", kTraining, &Bessel);
  op("batch_norm_scale_lost", "scale is taken as 1", kNormalizations, [](FaultyOp& faulty) {
    faulty.EachOf(1, [](double) { return 1.0; });
    return faulty.Right();
  });
  op("batch_norm_offset_lost", "offset is taken as 0", kNormalizations, [](FaultyOp& faulty) {
    faulty.EachOf(2, [](double) { return 0.0; });
    return faulty.Right();
  });
  op("batch_norm_epsilon_outside", "epsilon is added to the deviation, not to the variance", kInference,
     &EpsilonOutside);
  op("batch_norm_statistics_exchanged", "mean and variance exchanged", kInference, [](FaultyOp& faulty) {
    std::swap(faulty.context().operands[3], faulty.context().operands[4]);
    return faulty.Right();
  });
  op("batch_norm_factor_bf16", "scale over deviation rounded to bf16", kInference, &FactorInBf16);
  op("batch_norm_statistics_bf16", "mean and variance rounded to bf16", kTraining, &StatisticsInBf16);

  op(
      "variance_in_one_pass", "variance as E[x^2] - E[x]^2 in f32", kTraining,
      [](FaultyOp& faulty) {
        Expected<Values> results = faulty.Right();
        if (!results || faulty.in(0).type() != ElementType::kF32) return results;
        const Tensor& x = faulty.in(0);
        const Tensor mean = (*results)[1].tensor();
        Tensor& variance = (*results)[2].tensor();
        const int64_t feature = faulty.context().Int("feature_index");
        const int64_t stride = reference::StridesOf(x.shape())[static_cast<size_t>(feature)];
        const int64_t features = x.dim(feature);
        std::vector<float> squares(static_cast<size_t>(features), 0.0F);
        for (int64_t i = 0; i < x.size(); ++i) {
          const auto v = static_cast<float>(x.data<double>()[static_cast<size_t>(i)]);
          squares[static_cast<size_t>(i / stride % features)] += v * v;
        }
        const int64_t count = x.size() / features;
        const auto n = static_cast<float>(count);
        for (size_t f = 0; f < squares.size(); ++f) {
          const auto m = static_cast<float>(mean.data<double>()[f]);
          variance.Mutable<double>()[f] = squares[f] / n - m * m;
        }
        return results;
      },
      true);
}

}  // namespace opbyop::fault_injection
