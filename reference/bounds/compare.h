// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device's bytes against the reference: every metric of a result record (manifests/results/result.h).
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
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

struct CompareOptions {
  double factor = 1;   // of every bound; a policy's relaxation
  std::string reason;  // of the relaxation
};

// `expected` with its bound. A finite bound above 0 of an element that is infinite or NaN admits the greatest number of
// the same sign in its place: what is beyond it may saturate. `bytes` in stored form (support/dtype.h). kBadInput when
// the size is off.
Expected<Comparison> CompareOutput(int64_t output, const Tensor& expected, std::span<const std::byte> bytes,
                                   const CompareOptions& options = {});

// The worst error in units of its bound; nullopt where CompareOutput refuses the output. The same judgement without the
// metrics, several times as fast.
std::optional<double> RatioIfAccepted(const Tensor& expected, std::span<const std::byte> bytes);

// The worst errors of an output, as its Comparison has them.
struct WorstErrors {
  double abs = 0;
  double rel = 0;
  double ulp = 0;
  double bound_ratio = 0;
  int64_t unbounded = 0;
};

// The worst errors of an output that CompareOutput would accept, and in which infinities and NaN stand where they are
// expected and nowhere else. Returns nullopt for any other output, which CompareOutput has to judge. For callers that
// judge billions of elements.
std::optional<WorstErrors> ErrorsIfAccepted(const Tensor& expected, std::span<const std::byte> bytes);

// The elements that are furthest from what is expected, those first that are a number on one side only, at most as many
// as a comparison keeps. Their bound_ratio is the distance in units of `allowed`; of a complex number that of its worse
// part.
std::vector<Comparison::Element> FurthestElements(const Tensor& expected, std::span<const std::byte> bytes,
                                                  double allowed);

// The elements that CompareOutput refuses, in order. The size of `bytes` must be right.
std::vector<int64_t> RefusedElements(const Tensor& expected, std::span<const std::byte> bytes);

// `expected` with the elements of `other`, values and bounds, at the places where `expected` alone refuses what the
// device gave; `taken` says at how many. The size of `bytes` must be right.
Tensor TakeWhereRefused(const Tensor& expected, const Tensor& other, std::span<const std::byte> bytes, int64_t& taken);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_COMPARE_H_
