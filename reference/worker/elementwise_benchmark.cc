// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what `compare` costs for elementwise ops: processor time of one core per element, by op, type and policy,
// with the files read and their digests checked.
//
//   elementwise_benchmark                     // 16 M elements
//   elementwise_benchmark 1048576             // another number of elements
//   elementwise_benchmark 1048576 edge tanh   // another policy; only lines that contain the text, here "tanh"
//   elementwise_benchmark 1048576 domain " f32"
//
// The device's outputs are the reference's values, of which about one in eight is moved to a neighbour where the op's
// bound allows it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "reference/worker/compare_cost.h"

namespace opbyop::reference {
namespace {

struct Op {
  std::string_view name;
  std::string_view operands;    // the type of each operand: t for the element type, p for i1
  std::string_view result;      // "" for the element type
  std::string_view attributes;  // in the generic form
};

constexpr Op kOps[] = {
    {"stablehlo.abs", "t", "", ""},
    {"stablehlo.negate", "t", "", ""},
    {"stablehlo.sign", "t", "", ""},
    {"stablehlo.floor", "t", "", ""},
    {"stablehlo.round_nearest_afz", "t", "", ""},
    {"stablehlo.round_nearest_even", "t", "", ""},
    {"stablehlo.sqrt", "t", "", ""},
    {"stablehlo.rsqrt", "t", "", ""},
    {"stablehlo.cbrt", "t", "", ""},
    {"stablehlo.exponential", "t", "", ""},
    {"stablehlo.exponential_minus_one", "t", "", ""},
    {"stablehlo.log", "t", "", ""},
    {"stablehlo.log_plus_one", "t", "", ""},
    {"stablehlo.tanh", "t", "", ""},
    {"stablehlo.logistic", "t", "", ""},
    {"stablehlo.sine", "t", "", ""},
    {"stablehlo.cosine", "t", "", ""},
    {"stablehlo.tan", "t", "", ""},
    {"chlo.acos", "t", "", ""},
    {"chlo.acosh", "t", "", ""},
    {"chlo.asin", "t", "", ""},
    {"chlo.asinh", "t", "", ""},
    {"chlo.atan", "t", "", ""},
    {"chlo.atanh", "t", "", ""},
    {"chlo.sinh", "t", "", ""},
    {"chlo.cosh", "t", "", ""},
    {"chlo.erf", "t", "", ""},
    {"chlo.erfc", "t", "", ""},
    {"chlo.erf_inv", "t", "", ""},
    {"chlo.digamma", "t", "", ""},
    {"chlo.lgamma", "t", "", ""},
    {"chlo.bessel_i1e", "t", "", ""},
    {"chlo.square", "t", "", ""},
    {"stablehlo.add", "tt", "", ""},
    {"stablehlo.multiply", "tt", "", ""},
    {"stablehlo.divide", "tt", "", ""},
    {"stablehlo.remainder", "tt", "", ""},
    {"stablehlo.maximum", "tt", "", ""},
    {"stablehlo.power", "tt", "", ""},
    {"stablehlo.atan2", "tt", "", ""},
    {"chlo.zeta", "tt", "", ""},
    {"chlo.polygamma", "tt", "", ""},
    {"chlo.next_after", "tt", "", ""},
    {"stablehlo.is_finite", "t", "i1", ""},
    {"stablehlo.compare", "tt", "i1", "{comparison_direction = #stablehlo<comparison_direction LT>}"},
    {"stablehlo.select", "ptt", "", ""},
    {"stablehlo.clamp", "ttt", "", ""},
    {"stablehlo.convert", "t", "f32", ""},
    {"stablehlo.convert", "t", "bf16", ""},
    {"stablehlo.convert", "t", "i32", ""},
};

std::string ProgramOf(const Op& op, std::string_view type, int64_t elements) {
  const auto tensor = [&](std::string_view element) { return fmt::format("tensor<{}x{}>", elements, element); };
  std::string parameters, operands, types;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const std::string_view separator = i == 0 ? "" : ", ";
    const std::string operand = tensor(op.operands[i] == 'p' ? "i1" : type);
    parameters += fmt::format("{}%{}: {}", separator, i, operand);
    operands += fmt::format("{}%{}", separator, i);
    types += fmt::format("{}{}", separator, operand);
  }
  const std::string result = tensor(op.result.empty() ? type : op.result);
  return fmt::format("func.func @main({}) -> {} {{\n  %r = \"{}\"({}) {} : ({}) -> {}\n  return %r : {}\n}}\n",
                     parameters, result, op.name, operands, op.attributes, types, result, result);
}

int Run(int64_t elements, const std::string& policy, std::string_view only) {
  CompareBench bench("elementwise_benchmark", policy);
  fmt::print("{:<28} {:<8} {:>12}   {} elements, policy {}\n", "op", "type", "ns/element", elements, policy);
  for (const Op& op : kOps) {
    for (const std::string_view type : {"f32", "f64", "bf16", "f16", "f8E4M3FN"}) {
      const std::string name = fmt::format("{}{}{}", op.name, op.result.empty() ? "" : " to ", op.result);
      const std::string line = fmt::format("{} {}", name, type);
      if (line.find(only) == std::string::npos || type == op.result) continue;
      if (const std::optional<CompareCost> cost = bench.Measure(line, ProgramOf(op, type, elements))) {
        fmt::print("{:<28} {:<8} {:>12.2f}\n", name, type, cost->nanoseconds / static_cast<double>(elements));
      }
      std::fflush(stdout);
    }
  }
  return bench.exit_code();
}

}  // namespace
}  // namespace opbyop::reference

int main(int argc, char** argv) {
  const int64_t elements = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : int64_t{1} << 24;
  if (elements <= 0) {
    std::fputs("usage: elementwise_benchmark [ELEMENTS [POLICY [TEXT]]]\n", stderr);
    return 2;
  }
  return opbyop::reference::Run(elements, argc > 2 ? argv[2] : "domain", argc > 3 ? argv[3] : "");
}
