// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares a device's output with the reference and computes every metric of a result record
// (manifests/results/result.h).
//
//   Expected<Comparison> c = CompareOutput(0, expected, device_bytes, {.factor = 1});
//   c->accepted;      // every element within its bound
//   c->bound_ratio;   // worst |got - expected| / bound
#ifndef OPBYOP_REFERENCE_BOUNDS_COMPARE_H_
#define OPBYOP_REFERENCE_BOUNDS_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manifests/results/result.h"
#include "reference/bounds/comparer.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

struct CompareOptions {
  double factor = 1;   // multiplies every bound: a policy's relaxation
  std::string reason;  // why the policy relaxes the bounds
};

// Compares `bytes`, in stored form (support/dtype.h), with `expected` and its bound. In types of 8 bits or fewer, if an
// element is infinite or NaN and has a finite bound above 0, the greatest number of the same sign is accepted too: a
// result beyond that number may saturate. Returns kBadInput if the size of `bytes` is wrong.
Expected<Comparison> CompareOutput(int64_t output, const Tensor& expected, std::span<const std::byte> bytes,
                                   const CompareOptions& options = {});

// Compares an output of which only blocks of expected values exist at a time, with the same result.
//
//   BlockComparison running(0, ElementType::kF32, shape, options);
//   running.Add(first_block, bytes_of_the_first_block);   // consecutive blocks
//   Comparison c = running.Finish(all_bytes);
class BlockComparison {
 public:
  BlockComparison(int64_t output, ElementType type, Shape shape, const CompareOptions& options);

  // Returns false if the block's bound follows another rule than those before: no one rule describes the output.
  bool Add(const Tensor& expected, std::span<const std::byte> bytes);

  // The same for a whole output with few different pairs of elements (Comparer::AddPairs).
  bool AddPairs(const Tensor& expected, std::span<const std::byte> bytes, std::span<const int64_t> counts,
                const Comparer::NextOf& next);

  // The same for a whole output in stored form that is the device's to the bit. Returns false if it is not.
  bool AddIfSame(const Tensor& expected, std::span<const std::byte> bytes);

  // The sums for PCC, cosine and RMSE (Comparer::lacks_moments).
  bool lacks_moments() const { return comparer_ && comparer_->lacks_moments(); }
  void KeepMoments() { keeps_moments_ = true; }

  // Elements, or pairs, that were refused so far.
  int64_t mismatches() const { return comparer_ ? comparer_->mismatches() : 0; }

  Comparison Finish(std::span<const std::byte> bytes) const;

 private:
  bool FollowsRule(const Tensor& expected);

  CompareOptions options_;
  ElementType type_;
  Shape shape_;
  Comparison out_;
  int64_t next_ = 0;  // the first element of the next block
  bool keeps_moments_ = false;
  std::optional<Comparer> comparer_;
};

// Returns the worst error in units of its bound, or nullopt if CompareOutput refuses the output. Judges as
// CompareOutput does, without the metrics and several times as fast.
std::optional<double> RatioIfAccepted(const Tensor& expected, std::span<const std::byte> bytes);

// Returns the worst errors of an output that CompareOutput would accept and that has infinities and NaN exactly where
// they are expected. Returns nullopt for any other output, which CompareOutput has to judge. For callers that judge
// billions of elements.
std::optional<WorstErrors> ErrorsIfAccepted(const Tensor& expected, std::span<const std::byte> bytes);

// Returns the elements that are furthest from their expected values, at most as many as a Comparison keeps. Elements
// that are a number on one side only come first. Their bound_ratio is the distance in units of `allowed`; for a complex
// number it is that of its worse part.
std::vector<Comparison::Element> FurthestElements(const Tensor& expected, std::span<const std::byte> bytes,
                                                  double allowed);

// Returns the elements that CompareOutput refuses, in order. The size of `bytes` must be right.
std::vector<int64_t> RefusedElements(const Tensor& expected, std::span<const std::byte> bytes);

// Returns `expected` with those elements replaced by the values and bounds of `other` for which `expected` refuses the
// device's value. Sets `taken` to their number. The size of `bytes` must be right.
Tensor TakeWhereRefused(const Tensor& expected, const Tensor& other, std::span<const std::byte> bytes, int64_t& taken);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_COMPARE_H_
