// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of one number, which can be tested on every bit pattern of its type.
//
//   Expected<std::vector<Function>> functions = FindFunctions({"tanh", "chlo.erf*", "convert:bf16"},
//   ElementType::kF32); ProgramOf(functions->front(), 1 << 20)   // @main: tanh of a tensor of 2^20 elements
//
// An op is such a function if its verifier accepts it with only an operand of the type. `convert` and `bitcast_convert`
// are a function for each result type, `reduce_precision` for each number of bits: "reduce_precision:e5m10".
#ifndef OPBYOP_COMMANDS_EXHAUST_FUNCTIONS_H_
#define OPBYOP_COMMANDS_EXHAUST_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reference/tensor/element_type.h"
#include "support/expected.h"

namespace opbyop::exhaustive {

struct Function {
  std::string op;       // "stablehlo.convert"
  std::string variant;  // "bf16", "e5m10"; empty if the op is one function
  reference::ElementType type = reference::ElementType::kF32;
  std::string result;      // the result's element type: "bf16"
  std::string attributes;  // "{exponent_bits = 5 : i32, ...}"; may be empty

  // "tanh_f32", "chlo_erf_bf16", "convert_f32_to_bf16", "reduce_precision_f32_e5m10".
  std::string Name() const;
  // As on the command line: "stablehlo.convert:bf16".
  std::string Spelling() const;
  // The number of bit patterns of its argument.
  uint64_t Values() const;
};

// All functions that match a pattern, in order of names, each once. A pattern is an op or a glob of ops, with or
// without its dialect, and then optionally `:VARIANT` or `:GLOB`. Returns kUsage, with the reason, for a pattern
// without a match.
Expected<std::vector<Function>> FindFunctions(const std::vector<std::string>& patterns, reference::ElementType type);

// Every function of the type.
std::vector<Function> AllFunctions(reference::ElementType type);

std::string ProgramOf(const Function& function, int64_t elements);

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_FUNCTIONS_H_
