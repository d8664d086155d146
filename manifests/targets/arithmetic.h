// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target's declarations about its arithmetic, if it is correct in a way of its own (docs/declarations.md). The
// comparison allows what follows from them, and nothing more.
//
//   precision: {dot_general: tf32, convolution: bf16x3}
//   accumulation:
//     - {ops: [dot_general], operands: f8, bits: 14, rounding: toward_zero, block: 32, promoted: 128}
//     - {ops: [dot_general, convolution], bits: 24, rounding: toward_zero, block: 16}
//   stores: toward_zero
//   flushes_subnormals: [results, signs]   # true: [operands, results]
//   excess_precision: true
//   sums_of_replicas: may_differ
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

// The property of a run's header with the text of the target's declarations; absent if there are none.
inline constexpr const char* kDeclaredArithmetic = "arithmetic";

// A format in which the factors of a product are multiplied.
struct FactorFormat {
  std::string_view name;
  std::string_view format;  // of each component: "tf32", "f16", "bf16"; empty: the operand's own type
  int64_t components = 1;   // components that represent an operand
  int64_t products = 1;     // products of components that are added up, the largest ones
  // How an operand or a component is rounded from the remaining value: toward zero, else to nearest.
  bool toward_zero = false;
};

// nullptr if there is no such name.
const FactorFormat* FindFactorFormat(std::string_view name);

// How the products of a sum are accumulated.
struct Accumulator {
  std::vector<std::string> ops;  // without dialect
  std::string operands;          // prefix of both types: "f8", "bf16"; empty: any but f64
  int64_t bits = 24;             // of the partial sums, including the leading bit
  // How terms are aligned and sums are stored: toward zero, else to nearest.
  bool toward_zero = false;
  int64_t block = 1;  // products that are aligned with the partial sum and added to it at once
  // After this many products the partial sum is added to one in f32; 0: never.
  int64_t promoted = 0;

  friend bool operator==(const Accumulator&, const Accumulator&) = default;
};

// The places where subnormal numbers are replaced by zero.
struct FlushedParts {
  bool operands = false;
  bool results = false;
  // Also in negate and abs, which only change the sign bit: their operands and results, as the fields above say.
  bool signs = false;

  bool any() const { return operands || results; }
  friend bool operator==(const FlushedParts&, const FlushedParts&) = default;
};

struct Arithmetic {
  // The factor format by op, a name for FindFactorFormat: "dot_general" -> "tf32".
  std::map<std::string, std::string, std::less<>> precision;
  std::vector<Accumulator> accumulation;  // the first that matches an op applies
  bool stores_toward_zero = false;        // how results of types narrower than f32 are rounded
  FlushedParts flushes;
  // Results that only other ops of the same program use may stay unrounded.
  bool excess_precision = false;
  // The sum of a group of processes may have other bits on each of its members, which add up in orders of their own.
  bool replicas_may_differ = false;

  // nullptr if none matches. `op` is without its dialect; the types are names.
  const Accumulator* AccumulatorOf(std::string_view op, std::string_view lhs, std::string_view rhs) const;

  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

// Reads the keys above from a target's file. An invalid value is noted as the file's error.
Arithmetic ReadArithmetic(YamlMap& top);

// Convert to and from an object with the same keys and values, empty if nothing is declared. nullopt if a value has
// another form; unknown keys are ignored.
nlohmann::json ArithmeticToJson(const Arithmetic& arithmetic);
std::optional<Arithmetic> ArithmeticFromJson(const nlohmann::json& json);

// Returns "14 bits toward zero, 32 at once, f32 after 128".
std::string ToText(const Accumulator& accumulator);

// Returns one line for users: "dot_general multiplies in tf32; subnormal operands and results are zeros". Empty if
// nothing is declared.
std::string ToText(const Arithmetic& arithmetic);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_ARITHMETIC_H_
