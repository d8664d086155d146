// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares a device's output with the reference's values, block by block: only a block of expected values has to exist
// at a time. compare.h is for callers that have all of them.
//
//   Comparer comparer(expected.type(), factor);
//   comparer.Add(0, first_block, bytes);                   // consecutive elements, in order
//   comparer.Add(first_block.size(), second_block, more);
//   comparer.Finish(shape, comparison);
#ifndef OPBYOP_REFERENCE_BOUNDS_COMPARER_H_
#define OPBYOP_REFERENCE_BOUNDS_COMPARER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "manifests/results/result.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Sums for PCC, cosine and RMSE, shifted by the first pair so that a large common offset causes no cancellation.
class Moments {
 public:
  // Adds a pair of finite numbers `times` times.
  void Add(double x, double y, int64_t times = 1);
  // Adds pairs of booleans of which `xs` have a true x, `ys` a true y, and `both` both. The sums are exact.
  void AddBooleans(int64_t pairs, int64_t xs, int64_t ys, int64_t both, bool first_x, bool first_y);
  double Pcc() const;
  double Cosine() const;
  double Rmse() const;

 private:
  using Two = double __attribute__((vector_size(16)));

  void AddAfterFirst(double x, double y, int64_t times);

  int64_t n_ = 0;
  Two first_ = {};        // the first pair
  Two sums_ = {};         // of x and y, shifted
  Two squares_ = {};      // the same
  Two plain_ = {};        // squares of x and y
  Two products_ = {};     // of x and y: shifted, plain
  double distances_ = 0;  // squares of x - y
};

// The worst elements, worst first. Each element is listed once.
class WorstList {
 public:
  // Whether the list would keep an entry with this ratio and distance.
  bool Takes(double ratio, double difference) const { return list_.size() < kMost || IsWorse(ratio, difference); }
  void Keep(int64_t index, double ratio, double difference);
  // Notes the texts of listed elements from a block of expected values, the first of which is element `first`, and the
  // device's elements in stored form.
  void Describe(int64_t first, const Tensor& expected, std::span<const std::byte> bytes);
  void Describe(int64_t index, std::string got, std::string expected);
  std::vector<Comparison::Element> Elements(const Shape& shape) const;
  size_t size() const { return list_.size(); }
  // Ratio and distance of the last entry.
  std::pair<double, double> Least() const { return {list_.back().ratio, list_.back().difference}; }

  static constexpr size_t kMost = 5;

 private:
  struct Worst {
    int64_t index;
    double ratio;
    double difference;
    std::string got = {};
    std::string expected = {};
  };
  static bool IsWorse(const Worst& a, const Worst& b) {
    return a.ratio > b.ratio || (a.ratio == b.ratio && a.difference > b.difference);
  }
  bool IsWorse(double ratio, double difference) const { return IsWorse({0, ratio, difference}, list_.back()); }

  std::vector<Worst> list_;
};

// The worst errors of an output, with the same values as in its Comparison.
struct WorstErrors {
  double abs = 0;
  double rel = 0;
  double ulp = 0;
  double bound_ratio = 0;
  int64_t unbounded = 0;
};

class Comparer {
 public:
  // `factor` multiplies every bound.
  Comparer(ElementType type, double factor);

  // Compares the elements from number `first` on with `expected` and its bounds. `bytes` are the device's elements.
  void Add(int64_t first, const Tensor& expected, std::span<const std::byte> bytes);

  // Sets the bound that says for which zeros of the next blocks the sign is open. Its element 0 is element `first`.
  void SetZeroRule(std::shared_ptr<const Bound> bound, int64_t first);

  // Compares elements of storage type T. `bounds` may be nullptr: all are 0.
  template <typename T>
  void AddBlock(int64_t first, std::span<const T> want, const T* got, const double* bounds);

  // Finds the next element of a marked pair, from element `from` on, and sets `pair` to it.
  using NextOf = std::function<int64_t(int64_t from, std::span<const uint8_t> marked, size_t& pair)>;

  // Compares a whole tensor with few different pairs of an expected and a given element: `counts[k]` elements have
  // expected element k and the device's element k of `bytes`. Compares the pairs only, so call nothing else after it if
  // some are refused.
  void AddPairs(const Tensor& expected, std::span<const std::byte> bytes, std::span<const int64_t> counts,
                const NextOf& next);

  // Blocks without bounds that are the device's to the bit are left out of the sums for PCC, cosine and RMSE, which
  // equal numbers do not need. True if other blocks then differed, so that the sums lack something: a caller that wants
  // the metrics compares again after KeepMoments().
  bool lacks_moments() const { return skipped_ && most_.abs > 0; }
  void KeepMoments() { keeps_moments_ = true; }

  int64_t mismatches() const { return mismatches_; }
  double bound_ratio() const { return most_.bound_ratio; }

  // Sets the metrics and the worst elements of a tensor of this shape.
  void Finish(const Shape& shape, Comparison& out) const;

 private:
  double AsNumber(int64_t v) const {
    return is_signed_ ? static_cast<double>(v) : static_cast<double>(static_cast<uint64_t>(v));
  }
  // Compares one real number without adding it to the moments. The two parts of a complex element are passed one after
  // the other with the same index.
  void Real(int64_t index, double want, double got, double bound);
  void Integer(int64_t index, int64_t want, int64_t got, double bound);
  void Ratio(int64_t index, double difference, double bound);
  void Mismatch(int64_t index, double ratio, double difference);
  void Reals(int64_t first, std::span<const double> want, const double* got, const double* bounds);
  const FloatFormat* format_;
  bool is_signed_;
  double factor_;
  std::shared_ptr<const Bound> zero_rule_;
  int64_t zero_rule_first_ = 0;
  Moments moments_;
  bool keeps_moments_ = false, skipped_ = false;
  WorstErrors most_;
  int64_t mismatches_ = 0, nan_mismatches_ = 0, inf_mismatches_ = 0;
  int64_t last_mismatch_ = -1;
  WorstList worst_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_COMPARER_H_
