// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Faults of comparison, selection, extremes, order.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/elementwise.h"
#include "reference/tensor/special_values.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::ElementKind;
using reference::kInf;
using reference::Tensor;
using reference::Values;

using Direction = stablehlo::ComparisonDirection;

Direction DirectionOf(mlir::Operation* op) {
  return op->getAttrOfType<stablehlo::ComparisonDirectionAttr>("comparison_direction").getValue();
}

Expected<Values> WithDirection(FaultyOp& faulty, Direction direction) {
  return faulty.With("comparison_direction",
                     stablehlo::ComparisonDirectionAttr::get(faulty.op()->getContext(), direction));
}

// Strict comparisons become weak ones, and weak ones strict.
Expected<Values> OtherStrictness(FaultyOp& faulty) {
  switch (DirectionOf(faulty.op())) {
    case Direction::LT:
      return WithDirection(faulty, Direction::LE);
    case Direction::LE:
      return WithDirection(faulty, Direction::LT);
    case Direction::GT:
      return WithDirection(faulty, Direction::GE);
    case Direction::GE:
      return WithDirection(faulty, Direction::GT);
    default:
      return faulty.Right();
  }
}

// Every compare in the op's regions is weak instead of strict, so that ties are decided the other way.
Expected<Values> WeakInRegions(FaultyOp& faulty) {
  std::vector<std::pair<mlir::Operation*, Direction>> changed;
  for (mlir::Region& region : faulty.op()->getRegions()) {
    region.walk([&](stablehlo::CompareOp compare) {
      const Direction was = DirectionOf(compare);
      const Direction now = was == Direction::LT   ? Direction::LE
                            : was == Direction::LE ? Direction::LT
                            : was == Direction::GT ? Direction::GE
                            : was == Direction::GE ? Direction::GT
                                                   : was;
      changed.emplace_back(compare, was);
      compare->setAttr("comparison_direction", stablehlo::ComparisonDirectionAttr::get(compare->getContext(), now));
    });
  }
  Expected<Values> results = faulty.Right();
  for (auto& [op, was] : changed) {
    op->setAttr("comparison_direction", stablehlo::ComparisonDirectionAttr::get(op->getContext(), was));
  }
  return results;
}

// p a + (1 - p) b, as compilers without a select compute it: 0 times infinity is NaN.
Expected<Values> ArithmeticSelect(FaultyOp& faulty) {
  if (faulty.in(1).kind() != ElementKind::kFloat) return faulty.Right();
  Tensor out = faulty.in(1);
  const Tensor a = faulty.in(1);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double p = ValueAt<uint8_t>(faulty.in(0), i) ? 1 : 0;
    out.Mutable<double>()[static_cast<size_t>(i)] =
        p * ValueAt<double>(a, i) + (1 - p) * ValueAt<double>(faulty.in(2), i);
  }
  return Values{std::move(out)};
}

// A number wins over NaN, on either side or only on the right one.
OpFault Extreme(bool both_sides) {
  return [both_sides](FaultyOp& faulty) -> Expected<Values> {
    if (faulty.in(0).kind() != ElementKind::kFloat || faulty.in(0).size() != faulty.in(1).size()) return faulty.Right();
    Expected<Values> results = faulty.Right();
    if (!results) return results;
    Tensor& t = (*results)[0].tensor();
    const auto a = faulty.in(0).data<double>();
    const auto b = faulty.in(1).data<double>();
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::isnan(b[i])) t.Mutable<double>()[i] = a[i];
      if (both_sides && std::isnan(a[i])) t.Mutable<double>()[i] = b[i];
    }
    return results;
  };
}

// Sorts the lines in reverse order along the sorted dimension, so that equal keys come out in the other order.
Expected<Values> SortedFromBehind(FaultyOp& faulty) {
  const int64_t d = faulty.context().Int("dimension");
  for (size_t i = 0; i < faulty.size(); ++i) faulty.in(i) = Reversed(faulty.in(i), d < 0 ? d + faulty.in(i).rank() : d);
  return faulty.Right();
}

Expected<Values> ResultsReversed(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  int64_t d = faulty.context().Int("dimension", -1);
  for (reference::Value& value : *results) {
    Tensor& t = value.tensor();
    t = Reversed(t, d < 0 ? d + t.rank() : d);
  }
  return results;
}

}  // namespace

void AddComparisonFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("compare_strictness", "< is <= and the other way round", "stablehlo.compare", &OtherStrictness);
  op("compare_nan_equal", "NaN equals NaN", "stablehlo.compare", [](FaultyOp& faulty) {
    const bool floats = faulty.in(0).kind() == ElementKind::kFloat;
    const Direction direction = DirectionOf(faulty.op());
    const Tensor a = faulty.in(0);
    const Tensor b = faulty.in(1);
    Expected<Values> results = faulty.Right();
    if (!results || !floats || a.size() != b.size()) return results;
    const bool equal = direction == Direction::EQ || direction == Direction::LE || direction == Direction::GE;
    for (size_t i = 0; i < a.data<double>().size(); ++i) {
      if (std::isnan(a.data<double>()[i]) && std::isnan(b.data<double>()[i])) {
        (*results)[0].tensor().Mutable<uint8_t>()[i] = equal;
      }
    }
    return results;
  });
  op("compare_not_equal_of_nan", "a != NaN is false (an ordered comparison)", "stablehlo.compare",
     [](FaultyOp& faulty) {
       const Tensor a = faulty.in(0);
       const Tensor b = faulty.in(1);
       Expected<Values> results = faulty.Right();
       if (!results || a.kind() != ElementKind::kFloat || a.size() != b.size()) return results;
       for (size_t i = 0; i < a.data<double>().size(); ++i) {
         if (std::isnan(a.data<double>()[i]) || std::isnan(b.data<double>()[i])) {
           (*results)[0].tensor().Mutable<uint8_t>()[i] = 0;
         }
       }
       return results;
     });
  op("compare_unsigned_as_signed", "unsigned integers compared as signed ones", "stablehlo.compare",
     [](FaultyOp& faulty) {
       for (size_t i = 0; i < 2; ++i) {
         Tensor& t = faulty.in(i);
         const reference::ElementTypeInfo& info = reference::Info(t.type());
         if (info.kind != ElementKind::kInteger || info.is_signed) continue;
         const int drop = 64 - info.width;
         for (int64_t& v : t.Mutable<int64_t>()) v = static_cast<int64_t>(static_cast<uint64_t>(v) << drop) >> drop;
         t = t.Retyped(reference::ElementType::kI64);
       }
       return faulty.Right();
     });
  op("compare_by_difference", "integers compared by the sign of their difference, which wraps", "stablehlo.compare",
     [](FaultyOp& faulty) {
       if (faulty.in(0).kind() != ElementKind::kInteger || faulty.in(0).size() != faulty.in(1).size())
         return faulty.Right();
       const reference::ElementTypeInfo& info = reference::Info(faulty.in(0).type());
       MapBinary<int64_t, int64_t>(faulty.in(0), faulty.in(1), faulty.in(0), [&](int64_t a, int64_t b) {
         return reference::WrapInteger(info, static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
       });
       EachInteger(faulty.in(1), [](int64_t) { return 0; });
       return faulty.Right();
     });
  op("compare_floats_by_bits", "floats compared as the integers of their bits", "stablehlo.compare",
     [](FaultyOp& faulty) {
       if (faulty.in(0).type() != reference::ElementType::kF32) return faulty.Right();
       faulty.EachOperand([](double v) -> double { return std::bit_cast<int32_t>(static_cast<float>(v)); });
       return faulty.Right();
     });
  op("select_by_arithmetic", "select as p a + (1 - p) b", "stablehlo.select", &ArithmeticSelect);
  op("select_swapped", "select takes the other side", "stablehlo.select", [](FaultyOp& faulty) {
    std::swap(faulty.context().operands[1], faulty.context().operands[2]);
    return faulty.Right();
  });
  op("select_predicate_of_vector", "the first predicate of every vector of 8 counts for all of it", "stablehlo.select",
     [](FaultyOp& faulty) {
       std::vector<int64_t> places(static_cast<size_t>(faulty.in(0).size()));
       for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i / 8 * 8);
       faulty.in(0) = Permuted(faulty.in(0), places);
       return faulty.Right();
     });
  op("extreme_ignores_nan", "maximum and minimum prefer the number", "stablehlo.maximum stablehlo.minimum",
     Extreme(true));
  op("extreme_nan_one_sided", "maximum and minimum keep NaN on the left only", "stablehlo.maximum stablehlo.minimum",
     Extreme(false));
  op("clamp_ignores_nan", "clamp of NaN is the lower limit", "stablehlo.clamp", [](FaultyOp& faulty) {
    if (faulty.in(0).kind() == ElementKind::kFloat && faulty.in(0).size() == 1) {
      const double low = faulty.in(0).data<double>()[0];
      faulty.EachOf(1, [low](double v) { return std::isnan(v) ? low : v; });
    }
    return faulty.Right();
  });
  op("clamp_upper_lost", "clamp forgets the upper limit", "stablehlo.clamp", [](FaultyOp& faulty) {
    faulty.EachOf(2, [](double) { return kInf; });
    return faulty.Right();
  });
  op("clamp_lower_lost", "clamp forgets the lower limit", "stablehlo.clamp", [](FaultyOp& faulty) {
    faulty.EachOf(0, [](double) { return -kInf; });
    return faulty.Right();
  });
  op("reduce_extreme_ignores_nan", "the maximum and minimum of a line ignore NaN", "stablehlo.reduce",
     [](FaultyOp& faulty) {
       if (faulty.size() == 2 && faulty.in(1).kind() == ElementKind::kFloat &&
           std::isinf(faulty.in(1).data<double>()[0])) {
         const double init = faulty.in(1).data<double>()[0];
         faulty.EachOf(0, [init](double v) { return std::isnan(v) ? init : v; });
       }
       return faulty.Right();
     });
  op("reduce_max_from_zero", "the maximum of a line starts at 0", "stablehlo.reduce stablehlo.reduce_window",
     [](FaultyOp& faulty) {
       if (faulty.size() == 2 && faulty.in(1).kind() == ElementKind::kFloat &&
           std::isinf(faulty.in(1).data<double>()[0])) {
         faulty.in(1) = Tensor::Zeros(faulty.in(1).type(), {});
       }
       return faulty.Right();
     });
  op("argmax_last_of_ties", "of equal elements the last is reported", "stablehlo.reduce",
     [](FaultyOp& faulty) { return faulty.size() == 4 ? WeakInRegions(faulty) : faulty.Right(); });
  op("is_finite_of_nan", "NaN is finite", "stablehlo.is_finite", [](FaultyOp& faulty) {
    faulty.EachOf(0, [](double v) { return std::isnan(v) ? 0 : v; });
    return faulty.Right();
  });
  op("sort_unstable", "equal keys change their order", "stablehlo.sort",
     [](FaultyOp& faulty) { return faulty.context().Bool("is_stable") ? SortedFromBehind(faulty) : faulty.Right(); });
  op("sort_descending", "lines sorted the other way round", "stablehlo.sort", &ResultsReversed);
  op("sort_last_element_left", "the last element of a line is not sorted", "stablehlo.sort", [](FaultyOp& faulty) {
    const int64_t d = faulty.context().Int("dimension");
    const int64_t n = faulty.in(0).dim(d);
    const Values operands = faulty.context().operands;
    Expected<Values> results = faulty.Right();
    if (!results || n < 2) return results;
    // One element less is sorted; the last one stays in its place.
    for (size_t i = 0; i < faulty.size(); ++i) faulty.in(i) = SliceOf(operands[i].tensor(), d, 0, n - 1);
    Expected<Values> sorted = faulty.Right();
    if (!sorted) return results;
    for (size_t i = 0; i < results->size(); ++i) {
      Tensor& t = (*results)[i].tensor();
      const Tensor& from = operands[i].tensor();
      const int64_t stride = reference::StridesOf(t.shape())[static_cast<size_t>(d)];
      const Tensor part = (*sorted)[i].tensor();  // has the declared shape, with zeros at the end
      reference::WithStorage(t.kind(), [&]<typename T>() {
        for (int64_t e = 0; e < t.size(); ++e) {
          const bool last = e / stride % n == n - 1;
          t.Mutable<T>()[static_cast<size_t>(e)] = (last ? from : part).template data<T>()[static_cast<size_t>(e)];
        }
      });
    }
    return results;
  });
  op("top_k_indices_from_one", "top_k counts from 1", "chlo.top_k", [](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (results) EachInteger((*results)[1].tensor(), [](int64_t v) { return v + 1; });
    return results;
  });

  op(
      "extreme_of_zeros", "maximum and minimum of two zeros give either", "stablehlo.maximum stablehlo.minimum",
      [](FaultyOp& faulty) {
        const Tensor a = faulty.in(0);
        Expected<Values> results = faulty.Right();
        if (!results || a.kind() != ElementKind::kFloat || a.size() != (*results)[0].tensor().size()) return results;
        Tensor& t = (*results)[0].tensor();
        for (size_t i = 0; i < a.data<double>().size(); ++i) {
          if (t.data<double>()[i] == 0 && a.data<double>()[i] == 0) t.Mutable<double>()[i] = a.data<double>()[i];
        }
        return results;
      },
      true);
}

}  // namespace opbyop::fault_injection
