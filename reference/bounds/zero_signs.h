// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The signs of the zeros that a maximum or minimum chooses from. If both signs are among them, either may be the result
// (docs/numerics/rules.md); else the sign of the result is fixed.
//
//   NarrowOpenZeros(out, [&](int64_t i) {
//     ZeroSigns signs;
//     signs.Add(x, i);
//     signs.Add(y, i);
//     return signs.open();
//   });
#ifndef OPBYOP_REFERENCE_BOUNDS_ZERO_SIGNS_H_
#define OPBYOP_REFERENCE_BOUNDS_ZERO_SIGNS_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

class ZeroSigns {
 public:
  // Notes element `i` of a tensor of type kFloat, or the only element that it has.
  void Add(const Tensor& t, int64_t i) {
    const int64_t at = t.size() == 1 ? 0 : i;
    const double value = t.data<double>()[static_cast<size_t>(at)];
    if (value != 0) return;
    (std::signbit(value) ? minus_ : plus_) = true;
    free_ |= t.bound() && t.bound()->IsZeroSignFree(at);
  }
  // True if a zero of either sign is right.
  bool open() const { return free_ || (plus_ && minus_); }

 private:
  bool plus_ = false;
  bool minus_ = false;
  bool free_ = false;
};

// Fixes the sign of each zero of an exact result whose bound leaves the signs of all zeros open, except of those
// elements i for which is_open(i) holds.
template <typename Fn>
void NarrowOpenZeros(Tensor& result, Fn&& is_open) {
  if (!result.bound() || !result.bound()->zero_sign_free || result.bound()->size != 0) return;
  std::vector<int64_t> open;
  const double* values = result.data<double>().data();
  for (int64_t i = 0; i < result.size(); ++i) {
    if (values[i] == 0 && is_open(i)) open.push_back(i);
  }
  auto bound = std::make_shared<Bound>(*result.bound());
  bound->open_zeros = std::make_shared<const std::vector<int64_t>>(std::move(open));
  result.set_bound(std::move(bound));
}

// Returns the bound for other elements that these were moved to: the signs of all zeros are open if some are.
std::shared_ptr<const Bound> BoundWhenMoved(const std::shared_ptr<const Bound>& bound);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_ZERO_SIGNS_H_
