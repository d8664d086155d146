// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares an output with expected values of which only some rows exist at a time.
//
//   RowsComparison rows(type, shape, bytes, options);
//   for (...) if (!rows.Add(expected)) return std::nullopt;   // consecutive rows
//   return rows.Finish();
#ifndef OPBYOP_REFERENCE_WORKER_ROWS_COMPARISON_H_
#define OPBYOP_REFERENCE_WORKER_ROWS_COMPARISON_H_

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"

namespace opbyop::reference {

class RowsComparison {
 public:
  // `bytes` are those of the whole output.
  RowsComparison(ElementType type, Shape shape, std::span<const std::byte> bytes, const CompareOptions& options)
      : running_(0, type, std::move(shape), options), all_(bytes), left_(bytes), factor_(options.factor) {}

  void KeepMoments() { running_.KeepMoments(); }

  // Return false if an element is refused, or if no one rule describes the output: it must then be judged as a whole.
  bool Add(const Tensor& expected) {
    const std::span<const std::byte> given = Next(expected);
    if (!running_.Add(expected, given) || running_.mismatches() > 0) return false;
    errors_.Add(expected, given);
    return true;
  }
  // For expected values in stored form, which must be the device's to the bit.
  bool AddIfSame(const Tensor& expected) { return running_.AddIfSame(expected, Next(expected)); }

  // Returns nullopt if the output as a whole is refused.
  std::optional<Comparison> Finish() const {
    Comparison comparison = running_.Finish(all_);
    comparison.precision_ratio = errors_.Ratio() / factor_;
    return comparison.accepted ? std::optional(std::move(comparison)) : std::nullopt;
  }

 private:
  std::span<const std::byte> Next(const Tensor& expected) {
    const std::span<const std::byte> given =
        left_.first(static_cast<size_t>(expected.size() * StoredBytes(expected.type())));
    left_ = left_.subspan(given.size());
    return given;
  }

  BlockComparison running_;
  PrecisionErrors errors_;
  std::span<const std::byte> all_, left_;
  double factor_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_ROWS_COMPARISON_H_
