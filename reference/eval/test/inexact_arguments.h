// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: evaluates a program on arguments that have errors, and then on others that a device may have in their place.
//
//   Devices devices;
//   devices.ExpectCovered(text, {WithErrors(keys, errors)}, {values});
#ifndef OPBYOP_REFERENCE_EVAL_TEST_INEXACT_ARGUMENTS_H_
#define OPBYOP_REFERENCE_EVAL_TEST_INEXACT_ARGUMENTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/test/one_result.h"

namespace opbyop::reference {

inline Tensor WithErrors(Tensor t, const std::vector<double>& errors) {
  auto bound = MakeBound(t.size(), "inexact", 1);
  std::ranges::copy(errors, MutableSpan(*bound).begin());
  t.set_bound(std::move(bound));
  return t;
}

class Devices {
 public:
  int64_t Below(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit)); }

  // Another tensor whose elements are within the errors, and of the same type.
  Tensor Moved(const Tensor& t) {
    Tensor moved = Tensor::Make(t.type(), t.shape());
    const bool boolean = t.kind() == ElementKind::kBool;
    WithStorage(t.kind(), [&]<typename T>() {
      if constexpr (!std::is_same_v<T, Complex>) {
        const std::span<T> to = moved.Mutable<T>();
        for (int64_t i = 0; i < t.size(); ++i) {
          const auto own = ValueAt<T>(t, i);
          to[static_cast<size_t>(i)] = own;
          if (ErrorAt(t, i) == 0) continue;
          const double e = ErrorAt(t, i), step = e * static_cast<double>(Below(9) - 4) / 4;
          if constexpr (std::is_same_v<T, double>) {
            const double there = RoundTo(FormatOf(t.type()), own + step);
            to[static_cast<size_t>(i)] = std::fabs(there - own) <= e ? there : own;
          } else {
            const int64_t least = boolean ? 0 : MinInteger(t.type()), most = boolean ? 1 : MaxInteger(t.type());
            const auto there = static_cast<int64_t>(own) + static_cast<int64_t>(step);
            to[static_cast<size_t>(i)] = static_cast<T>(std::clamp(there, least, most));
          }
        }
      }
    });
    return moved;
  }

  // `exact` arguments follow the inexact ones. Every result of as many devices must be within its bound. Results of complex
  // numbers are not looked at.
  void ExpectCovered(const std::string& text, const std::vector<Tensor>& inexact, const std::vector<Tensor>& exact = {},
                     int count = 10) {
    const auto results = [&](const std::vector<Tensor>& first, bool bounds) {
      Values all(first.begin(), first.end());
      all.insert(all.end(), exact.begin(), exact.end());
      Expected<Values> values = EvaluateText(text, std::move(all), {.bounds = bounds});
      EXPECT_TRUE(values.has_value()) << text << (values ? "" : values.error().message);
      return values ? *values : Values();
    };
    const Values expected = results(inexact, true);
    for (int device = 0; device < count; ++device) {
      std::vector<Tensor> moved;
      moved.reserve(inexact.size());
      for (const Tensor& t : inexact) moved.push_back(Moved(t));
      const Values given = results(moved, false);
      for (size_t r = 0; r < std::min(expected.size(), given.size()); ++r) {
        if (!expected[r].is_tensor() || expected[r].tensor().kind() == ElementKind::kComplex) continue;
        const Tensor &want = expected[r].tensor(), &got = given[r].tensor();
        for (int64_t i = 0; i < want.size(); ++i) {
          ASSERT_LE(AbsoluteDifference(NumberAt(got, i), NumberAt(want, i)), ErrorAt(want, i))
              << text << "\nelement " << i << " of result " << r;
        }
      }
    }
  }

 private:
  std::mt19937_64 random_{7};
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_TEST_INEXACT_ARGUMENTS_H_
