// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of one number: what may be tested on every bit pattern of its type.
//
//   Expected<std::vector<Function>> functions = FindFunctions({"tanh", "chlo.erf*", "convert:bf16"},
//   ElementType::kF32); ProgramOf(functions->front(), 1 << 20)   // @main: tanh of a tensor of 2^20 elements
//
// An op is one where its verifier accepts it with nothing but an operand of the type. `convert` and `bitcast_convert`
// are functions by the type of their result, `reduce_precision` by its bits: "reduce_precision:e5m10".
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
  std::string variant;  // "bf16", "e5m10"; empty where the op is one function
  reference::ElementType type = reference::ElementType::kF32;
  std::string result;      // its element type: "bf16"
  std::string attributes;  // "{exponent_bits = 5 : i32, ...}"; may be empty

  // "tanh_f32", "chlo_erf_bf16", "convert_f32_to_bf16", "reduce_precision_f32_e5m10".
  std::string Name() const;
  // As on the command line: "stablehlo.convert:bf16".
  std::string Spelling() const;
  // How many bit patterns its argument has.
  uint64_t Values() const;
};

// All that a pattern means, in order of names, each once. A pattern is an op or a glob of ops, with or without its
// dialect, and `:VARIANT` or `:GLOB` behind it. kUsage for one that means nothing, with the reason.
Expected<std::vector<Function>> FindFunctions(const std::vector<std::string>& patterns, reference::ElementType type);

// Every function of the type.
std::vector<Function> AllFunctions(reference::ElementType type);

std::string ProgramOf(const Function& function, int64_t elements);

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_FUNCTIONS_H_
