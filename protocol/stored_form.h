// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tells the large tensors that the reference holds as their types store them, instead of in 8 bytes an element. Who plans
// a run estimates its memory by the same rules.
//
//   protocol::ReadsStored("stablehlo.dot_general", results);   // true: its large operands stay in stored form
#ifndef OPBYOP_PROTOCOL_STORED_FORM_H_
#define OPBYOP_PROTOCOL_STORED_FORM_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace opbyop::protocol {

// An argument of at least as many elements is held in stored form if all its users read that.
inline constexpr int64_t kWorthStored = int64_t{1} << 20;

// A result of at least as many elements is held in stored form if the op is exact.
inline constexpr int64_t kManyElements = int64_t{1} << 24;

// True for elementwise ops that are exact on exact operands whatever their types: comparison, selection and logic.
constexpr bool IsExactElementwise(std::string_view op) {
  constexpr std::array<std::string_view, 6> kNames = {"stablehlo.and", "stablehlo.compare", "stablehlo.not",
                                                      "stablehlo.or",  "stablehlo.select",  "stablehlo.xor"};
  return std::ranges::find(kNames, op) != kNames.end();
}

// True for ops that are evaluated in stored form if they have so many elements of results: movement, and exact
// elementwise ops of many elements.
constexpr bool MovesStored(std::string_view op, double results) {
  constexpr std::array<std::string_view, 11> kMovement = {"stablehlo.broadcast",
                                                          "stablehlo.broadcast_in_dim",
                                                          "stablehlo.concatenate",
                                                          "stablehlo.dynamic_slice",
                                                          "stablehlo.gather",
                                                          "stablehlo.pad",
                                                          "stablehlo.reshape",
                                                          "stablehlo.reverse",
                                                          "stablehlo.slice",
                                                          "stablehlo.transpose",
                                                          "stablehlo.dynamic_update_slice"};
  return std::ranges::find(kMovement, op) != kMovement.end() ||
         (IsExactElementwise(op) && results >= static_cast<double>(kManyElements));
}

// True for these and for products, which decode what they read.
constexpr bool ReadsStored(std::string_view op, double results) {
  return op == "stablehlo.dot_general" || op == "stablehlo.dot" || op == "stablehlo.convolution" ||
         MovesStored(op, results);
}

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_STORED_FORM_H_
