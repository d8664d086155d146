// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks inside a program: the ops of the `check` dialect and the custom calls @check.*.
//
//   CheckLog log;
//   Evaluator evaluator(module, {.hook = CheckHook(log)});
//   evaluator.Call("main", {});
//   log.failures;   // one sentence each: place, op, index, got, expected, distance
//
// eq: IEEE equality. almost_eq: |a - b| <= tolerance; NaN equals NaN, an infinity equals only itself. close: distance
// in ULPs of the element's own format; for numbers of opposite sign, the sum of their distances from zero.
#ifndef OPBYOP_REFERENCE_EVAL_CHECK_H_
#define OPBYOP_REFERENCE_EVAL_CHECK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

struct CheckLog {
  int64_t held = 0;
  std::vector<std::string> failures;
  std::string printed;                                // output of interpreter.print, as reference/eval/print_form.h
  std::map<std::string, std::vector<Tensor>> probes;  // by probe_id: the values that interpreter.probe saw, in order
};

std::function<Expected<bool>(OpContext&, Values&)> CheckHook(CheckLog& log);

enum class CheckKind { kEqual, kAlmostEqual, kClose };

struct Check {
  CheckKind kind = CheckKind::kEqual;
  double tolerance = 1e-4;
  uint64_t min_ulps = 0;
  uint64_t max_ulps = 1;
};

// Describes the first violation, as in "[1,2]: got 3, expected 4 (2 ULP)". Returns nullopt if the check holds.
std::optional<std::string> Violation(const Check& check, const Tensor& actual, const Tensor& expected);

// Distance in ULPs: 0 for identical bits or two NaN, the largest finite number for other non-finite pairs.
uint64_t UlpDistance(const FloatFormat& format, double a, double b);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_CHECK_H_
