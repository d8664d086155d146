// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/agreement/control_flow_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string_view>
#include <vector>

namespace opbyop {
namespace {

constexpr std::string_view kType = "tensor<3x3xi32>";
constexpr int kDeepest = 3;  // regions in regions

// How an op computes {o} from {a}, {b} and the index {i}; {t} is the type.
constexpr std::string_view kOps[] = {
    "{o} = stablehlo.add {a}, {b} : {t}",
    "{o} = stablehlo.subtract {a}, {b} : {t}",
    "{o} = stablehlo.transpose {a}, dims = [0, 1] : ({t}) -> {t}",
    "{o} = stablehlo.transpose {a}, dims = [1, 0] : ({t}) -> {t}",
    "{o} = stablehlo.optimization_barrier {a} : {t}",
    "{o} = stablehlo.dynamic_update_slice {a}, {b}, %zero, {i} : ({t}, {t}, tensor<i32>, tensor<i32>) -> {t}",
    R"({o}r = stablehlo.reshape {a} : ({t}) -> tensor<9xi32>
{o} = stablehlo.reshape {o}r : (tensor<9xi32>) -> {t})",
    R"({o}u = stablehlo.slice {b} [1:2, 0:3] : ({t}) -> tensor<1x3xi32>
{o} = stablehlo.dynamic_update_slice {a}, {o}u, {i}, %zero
    : ({t}, tensor<1x3xi32>, tensor<i32>, tensor<i32>) -> {t})",
    R"({o}r = stablehlo.dynamic_slice {a}, {i}, %zero, sizes = [1, 3]
    : ({t}, tensor<i32>, tensor<i32>) -> tensor<1x3xi32>
{o} = stablehlo.broadcast_in_dim {o}r, dims = [0, 1] : (tensor<1x3xi32>) -> {t})",
    R"({o}p = stablehlo.compare LT, {i}, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
{o} = stablehlo.select {o}p, {a}, {b} : tensor<i1>, {t})",
    R"({o}u = stablehlo.slice {b} [0:1, 0:3] : ({t}) -> tensor<1x3xi32>
{o}k = stablehlo.reshape {i} : (tensor<i32>) -> tensor<1x1xi32>
{o} = "stablehlo.scatter"({a}, {o}k, {o}u) <{{scatter_dimension_numbers = #stablehlo.scatter<
  update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
^bb0(%l: tensor<i32>, %r: tensor<i32>):
  %s = stablehlo.add %l, %r : tensor<i32>
  stablehlo.return %s : tensor<i32>
}}) : ({t}, tensor<1x1xi32>, tensor<1x3xi32>) -> {t})"};

class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  std::string Program() {
    Names values{"%x", "%y"};
    const std::string body = Ops(values, {"%n"}, 4 + Below(5), 0);
    const Names results = Some(values, 2);
    return fmt::format(
        "func.func @main(%x: {0}, %y: {0}, %n: tensor<i32>) -> ({0}, {0}) {{\n"
        "%zero = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "%three = stablehlo.constant dense<3> : tensor<i32>\n{1}return {2}, {3} : {0}, {0}\n}}\n",
        kType, body, results[0], results[1]);
  }

 private:
  using Names = std::vector<std::string>;

  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }
  const std::string& One(const Names& names) {
    return names[static_cast<size_t>(Below(static_cast<int>(names.size())))];
  }
  Names Some(const Names& names, int count) {
    Names chosen;
    chosen.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) chosen.push_back(One(names));
    return chosen;
  }
  std::string Fresh() { return fmt::format("%v{}", count_++); }

  // Adds the results to `values`.
  std::string Ops(Names& values, const Names& indices, int count, int depth) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const int kind = depth < kDeepest ? Below(4) : 0;
      text += kind == 1   ? Loop(values, indices, depth)
              : kind == 2 ? Branch(values, indices, depth)
                          : Op(values, indices);
    }
    return text;
  }

  std::string Op(Names& values, const Names& indices) {
    const std::string_view op = kOps[static_cast<size_t>(Below(std::size(kOps)))];
    const std::string out = Fresh();
    const std::string text = fmt::format(fmt::runtime(op), fmt::arg("o", out), fmt::arg("a", One(values)),
                                         fmt::arg("b", One(values)), fmt::arg("i", One(indices)), fmt::arg("t", kType));
    values.push_back(out);
    return text + "\n";
  }

  // A branch of a `case`, which may return what it did not compute.
  std::string Region(Names values, const Names& indices, int depth) {
    const std::string ops = Ops(values, indices, Below(3), depth + 1);
    return fmt::format("{{\n{}stablehlo.return {} : {}\n}}", ops, One(values), kType);
  }

  std::string Branch(Names& values, const Names& indices, int depth) {
    const std::string out = Fresh();
    Names regions;
    for (int branches = 1 + Below(3); branches > 0; --branches) regions.push_back(Region(values, indices, depth));
    const std::string& index = One(indices);
    values.push_back(out);
    if (regions.size() != 2) {
      return fmt::format("{} = \"stablehlo.case\"({}) ({}) : (tensor<i32>) -> {}\n", out, index,
                         fmt::join(regions, ", "), kType);
    }
    return fmt::format(
        "{0}p = stablehlo.compare LT, {1}, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "{0} = \"stablehlo.if\"({0}p) ({2}) : (tensor<i1>) -> {3}\n",
        out, index, fmt::join(regions, ", "), kType);
  }

  std::string Loop(Names& values, Names indices, int depth) {
    const std::string out = Fresh(), index = Fresh(), first = Fresh(), second = Fresh();
    const Names start = Some(values, 2);
    // The values that the loop carries are used more often than those around it.
    Names inside = values;
    for (int i = 0; i < 2; ++i) inside.insert(inside.end(), {first, second});
    indices.push_back(index);
    const std::string ops = Ops(inside, indices, Below(4), depth + 1);
    const Names next = Some(inside, 2);
    values.insert(values.end(), {out + "#1", out + "#2"});
    return fmt::format(
        "{0}:3 = stablehlo.while({1} = %zero, {2} = {4}, {3} = {5}) : tensor<i32>, {9}, {9}\n"
        "cond {{\n{1}c = stablehlo.compare LT, {1}, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.return {1}c : tensor<i1>\n}} do {{\n{6}{1}n = stablehlo.add {1}, %one : tensor<i32>\n"
        "stablehlo.return {1}n, {7}, {8} : tensor<i32>, {9}, {9}\n}}\n",
        out, index, first, second, start[0], start[1], ops, next[0], next[1], kType);
  }

  std::mt19937 random_;
  int count_ = 0;
};

}  // namespace

std::string ControlFlowProgram(uint32_t seed) { return Writer(seed).Program(); }

}  // namespace opbyop
