// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates a program of one result, in tests of the reference.
//
//   EXPECT_EQ(OneResult("func.func @main() -> tensor<i32> {...}").Integers(), ...);
#ifndef OPBYOP_REFERENCE_EVAL_TEST_ONE_RESULT_H_
#define OPBYOP_REFERENCE_EVAL_TEST_ONE_RESULT_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {

// Returns the first result, or an empty tensor in a test that has then failed.
inline Tensor OneResult(const std::string& text, Values arguments = {}, EvalOptions options = {}) {
  const Expected<Values> results = EvaluateText(text, std::move(arguments), std::move(options));
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? (*results)[0].tensor() : Tensor();
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_TEST_ONE_RESULT_H_
