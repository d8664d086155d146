// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of elements that a device may have in another order, because its keys differ from these by their errors.
//
//   UncertainOrder order(key, /*descending=*/false);
//   order.AddLine(from, to);     // elements of the key as they were sorted, and those of the results that they became
//   order.WidenKeys(sorted_key);
//   order.Widen(sorted_values, [&](int64_t other, int64_t own) { return <difference> + <error of other>; });
//
// The p-th of n keys, each of which lies in an interval, lies between the p-th of the lower ends and the p-th of the upper
// ends. What comes with it may be what comes with any key whose interval meets that one.
#ifndef OPBYOP_REFERENCE_EVAL_OPS_UNCERTAIN_ORDER_H_
#define OPBYOP_REFERENCE_EVAL_OPS_UNCERTAIN_ORDER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

class UncertainOrder {
 public:
  // The key must have a bound, and be of floats or integers.
  UncertainOrder(const Tensor& key, bool descending) : key_(key), descending_(descending) {}

  // `from` has all elements of a line, `to` as many as are kept of it. A line that is not in the order of its keys, or
  // with a key that has no bound, may come in any order.
  void AddLine(std::span<const int64_t> from, std::span<const int64_t> to);

  // Sets the errors of the sorted keys.
  void WidenKeys(Tensor& result) const;

  // Sets the errors of what comes with the keys. `reach(other, own)` is how far the element that is `other` of `from` may
  // be from the one that is `own`.
  void Widen(Tensor& result, const std::function<double(int64_t other, int64_t own)>& reach) const;

 private:
  struct Position {
    int64_t to, own;
    double reach;                     // of the key
    int64_t candidates_begin, count;  // in candidates_; -1: anything
  };

  const Tensor& key_;
  bool descending_;
  std::vector<Position> positions_;  // only those that are not certain
  std::vector<int64_t> candidates_;
  int64_t steps_ = 0;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_UNCERTAIN_ORDER_H_
