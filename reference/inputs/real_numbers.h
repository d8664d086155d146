// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The real numbers of an argument, each a function of its place. A complex element has two.
//
//   const RealNumbers numbers(role, InputKind::kEdge, FormatOf(ElementType::kBf16), stream, count);
//   double third = numbers.At(2);                    // before it is rounded to the format
//   numbers.Store(count, data.bytes.data());         // all of them, rounded and in stored form
#ifndef OPBYOP_REFERENCE_INPUTS_REAL_NUMBERS_H_
#define OPBYOP_REFERENCE_INPUTS_REAL_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "manifests/policies/policy.h"
#include "reference/inputs/edge_places.h"
#include "reference/inputs/input_role.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/element_type.h"

namespace opbyop::reference {

// `role`, `format` and `stream` must outlive it.
class RealNumbers {
 public:
  RealNumbers(const InputRole& role, InputKind kind, const FloatFormat& format, const CounterStream& stream,
              int64_t count);

  double At(uint64_t i) const;

  // Writes the numbers from `begin` on: At(begin), At(begin + 1), ...
  void Fill(uint64_t begin, std::span<double> out) const;

  // Rounds `count` numbers from number `first` on to the format and writes them in stored form (support/dtype.h).
  void Store(int64_t first, int64_t count, std::byte* out) const;

 private:
  void TakeIntegers();
  double Integer(uint64_t i) const;
  // The value that number i has in place of one of the range.
  std::optional<double> Special(uint64_t i) const;
  bool HasSpecials() const { return kind_ == InputKind::kEdge || specials_ || epsilon_ > 0; }
  double AwayFromZero(double v) const;
  bool IsOfSmallSpread(uint64_t i) const;

  const InputRole& role_;
  double low_, high_, away_, grid_;
  bool specials_, whole_;
  double epsilon_, spread_;
  uint64_t shares_;
  InputKind kind_;
  const FloatFormat& format_;
  const CounterStream& stream_;
  EdgePlaces edges_;
  std::vector<std::optional<double>> edge_values_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_REAL_NUMBERS_H_
