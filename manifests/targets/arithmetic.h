// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a target declares of its arithmetic, where it is right in a way of its own (docs/declarations.md). The judge
// allows what follows from it, and holds the target to it.
//
//   precision: {dot_general: tf32, convolution: bf16x3}
//   accumulation:
//     - {ops: [dot_general], operands: f8, bits: 14, rounding: toward_zero, block: 32, promoted: 128}
//     - {ops: [dot_general, convolution], bits: 24, rounding: toward_zero, block: 16}
//   stores: toward_zero
//   flushes_subnormals: [results, signs]   # true: [operands, results]
#ifndef OPBYOP_MANIFESTS_TARGETS_ARITHMETIC_H_
#define OPBYOP_MANIFESTS_TARGETS_ARITHMETIC_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

class YamlMap;

// The property of a run's header with the text of what its target declares; absent where that is nothing.
inline constexpr const char* kDeclaredArithmetic = "arithmetic";

// A format in which factors are multiplied.
struct FactorFormat {
  std::string_view name;
  std::string_view format;   // of each component: "tf32", "f16", "bf16"; empty: the operand's own type
  int64_t components = 1;    // that stand for an operand
  int64_t products = 1;      // of them that are added up, the largest ones
  bool toward_zero = false;  // how an operand or a component is made of what is left of it; else to nearest
};

// nullptr for no such name.
const FactorFormat* FindFactorFormat(std::string_view name);

// How the products of a sum are added up.
struct Accumulator {
  std::vector<std::string> ops;  // without their dialect
  std::string operands;          // what the type of both begins with: "f8", "bf16"; empty: any but f64
  int64_t bits = 24;             // of the partial sums, the leading one included
  bool toward_zero = false;      // terms as they are aligned and sums as they are stored; else to nearest
  int64_t block = 1;             // products that are aligned with the partial sum and added to it at once
  int64_t promoted = 0;          // after so many products the partial sum goes to one of f32; 0: never

  friend bool operator==(const Accumulator&, const Accumulator&) = default;
};

// Which subnormal numbers are taken for zero.
struct FlushedParts {
  bool operands = false;
  bool results = false;
  bool signs = false;  // those of negate and abs, which change the sign bit alone, as the parts above say

  bool any() const { return operands || results; }
  friend bool operator==(const FlushedParts&, const FlushedParts&) = default;
};

struct Arithmetic {
  // What it multiplies in by op, a name of FindFactorFormat: "dot_general" -> "tf32".
  std::map<std::string, std::string, std::less<>> precision;
  std::vector<Accumulator> accumulation;  // the first that fits an op holds
  bool stores_toward_zero = false;        // results of types narrower than f32
  FlushedParts flushes;

  // nullptr where none fits. `op` without its dialect, types by their names.
  const Accumulator* AccumulatorOf(std::string_view op, std::string_view lhs, std::string_view rhs) const;

  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

// The keys above of a target's file; what is none of their values is noted as the file's error.
Arithmetic ReadArithmetic(YamlMap& top);

// The same keys and values, an empty object for none. nullopt where a value is of another form; unknown keys are
// ignored.
nlohmann::json ArithmeticToJson(const Arithmetic& arithmetic);
std::optional<Arithmetic> ArithmeticFromJson(const nlohmann::json& json);

// "14 bits toward zero, 32 at once, f32 after 128".
std::string ToText(const Accumulator& accumulator);

// For people, one line: "dot_general multiplies in tf32; subnormal operands and results are zeros". Empty: nothing.
std::string ToText(const Arithmetic& arithmetic);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_ARITHMETIC_H_
