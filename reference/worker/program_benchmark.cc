// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what `compare` costs for data movement, masks, sums, windows and sorts: processor time of one core, by
// program and element type, with the files read and their digests checked.
//
//   program_benchmark                    // all programs, of 32 M elements where they are moved, inputs of `domain`
//   program_benchmark edge transpose     // another policy; only lines that contain the text
//
// GB/s counts the bytes of inputs and outputs, ns/element the elements of the greatest of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/worker/compare_cost.h"

namespace opbyop::reference {
namespace {

struct Program {
  std::string_view name;
  std::string_view types;       // names of element types, separated by spaces
  int64_t elements;             // of the greatest operand or result
  std::string_view parameters;  // T stands for the element type, as in all that follows
  std::string_view result;
  std::string_view body;  // defines %r
};

constexpr int64_t kMoved = int64_t{1} << 25;
constexpr std::string_view kTypes = "bf16 f32 i8";

constexpr Program kPrograms[] = {
    {"broadcast of columns", kTypes, kMoved, "%a: tensor<4096xT>", "tensor<4096x8192xT>",
     "%r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4096xT>) -> tensor<4096x8192xT>"},
    {"broadcast of rows", kTypes, kMoved, "%a: tensor<8192xT>", "tensor<4096x8192xT>",
     "%r = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8192xT>) -> tensor<4096x8192xT>"},
    {"reshape", kTypes, kMoved, "%a: tensor<4096x8192xT>", "tensor<32x128x8192xT>",
     "%r = stablehlo.reshape %a : (tensor<4096x8192xT>) -> tensor<32x128x8192xT>"},
    {"transpose of a matrix", kTypes, kMoved, "%a: tensor<4096x8192xT>", "tensor<8192x4096xT>",
     "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<4096x8192xT>) -> tensor<8192x4096xT>"},
    {"transpose of heads", kTypes, kMoved, "%a: tensor<8x1024x32x128xT>", "tensor<8x32x1024x128xT>",
     "%r = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<8x1024x32x128xT>) -> tensor<8x32x1024x128xT>"},
    {"transpose of channels", kTypes, kMoved, "%a: tensor<32x64x128x128xT>", "tensor<32x128x128x64xT>",
     "%r = stablehlo.transpose %a, dims = [0, 2, 3, 1] : (tensor<32x64x128x128xT>) -> tensor<32x128x128x64xT>"},
    {"slice", kTypes, kMoved, "%a: tensor<4096x8192xT>", "tensor<4096x4096xT>",
     "%r = stablehlo.slice %a [0:4096, 2048:6144] : (tensor<4096x8192xT>) -> tensor<4096x4096xT>"},
    {"slice of every second", kTypes, kMoved, "%a: tensor<4096x8192xT>", "tensor<4096x4096xT>",
     "%r = stablehlo.slice %a [0:4096, 0:8192:2] : (tensor<4096x8192xT>) -> tensor<4096x4096xT>"},
    {"gather of rows", kTypes, kMoved, "%a: tensor<32000x1024xT>, %i: tensor<16384x1xi32>", "tensor<16384x1024xT>",
     R"(%r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], )"
     R"(collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1024>} )"
     ": (tensor<32000x1024xT>, tensor<16384x1xi32>) -> tensor<16384x1024xT>"},
    {"gather of elements", kTypes, kMoved / 8, "%a: tensor<4096x1024xT>, %i: tensor<4194304x2xi32>",
     "tensor<4194304xT>",
     R"(%r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], )"
     "start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} "
     ": (tensor<4096x1024xT>, tensor<4194304x2xi32>) -> tensor<4194304xT>"},
    {"concatenate of rows", kTypes, kMoved, "%a: tensor<2048x8192xT>, %b: tensor<2048x8192xT>", "tensor<4096x8192xT>",
     "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2048x8192xT>, tensor<2048x8192xT>) -> tensor<4096x8192xT>"},
    {"concatenate of columns", kTypes, kMoved, "%a: tensor<524288x32xT>, %b: tensor<524288x32xT>",
     "tensor<524288x64xT>",
     "%r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<524288x32xT>, tensor<524288x32xT>) -> tensor<524288x64xT>"},
    {"pad", kTypes, kMoved, "%a: tensor<4000x8000xT>, %b: tensor<T>", "tensor<4096x8192xT>",
     "%r = stablehlo.pad %a, %b, low = [48, 96], high = [48, 96], interior = [0, 0] "
     ": (tensor<4000x8000xT>, tensor<T>) -> tensor<4096x8192xT>"},
    {"pad between elements", kTypes, kMoved, "%a: tensor<4096x4096xT>, %b: tensor<T>", "tensor<4096x8191xT>",
     "%r = stablehlo.pad %a, %b, low = [0, 0], high = [0, 0], interior = [0, 1] "
     ": (tensor<4096x4096xT>, tensor<T>) -> tensor<4096x8191xT>"},
    {"reverse", kTypes, kMoved, "%a: tensor<4096x8192xT>", "tensor<4096x8192xT>",
     "%r = stablehlo.reverse %a, dims = [1] : tensor<4096x8192xT>"},
    {"iota", "bf16 f32 i32", kMoved, "", "tensor<4096x8192xT>", "%r = stablehlo.iota dim = 0 : tensor<4096x8192xT>"},
    {"dynamic_slice", kTypes, kMoved, "%a: tensor<4096x8192xT>, %i: tensor<i32>, %j: tensor<i32>",
     "tensor<2048x8192xT>",
     "%r = stablehlo.dynamic_slice %a, %i, %j, sizes = [2048, 8192] "
     ": (tensor<4096x8192xT>, tensor<i32>, tensor<i32>) -> tensor<2048x8192xT>"},
    {"dynamic_update_slice", kTypes, kMoved,
     "%a: tensor<4096x8192xT>, %b: tensor<16x8192xT>, %i: tensor<i32>, %j: tensor<i32>", "tensor<4096x8192xT>",
     "%r = stablehlo.dynamic_update_slice %a, %b, %i, %j "
     ": (tensor<4096x8192xT>, tensor<16x8192xT>, tensor<i32>, tensor<i32>) -> tensor<4096x8192xT>"},
    {"convert to f32", "bf16 i8 i32", kMoved, "%a: tensor<4096x8192xT>", "tensor<4096x8192xf32>",
     "%r = stablehlo.convert %a : (tensor<4096x8192xT>) -> tensor<4096x8192xf32>"},
    {"convert to i32", "i8 i1", kMoved, "%a: tensor<4096x8192xT>", "tensor<4096x8192xi32>",
     "%r = stablehlo.convert %a : (tensor<4096x8192xT>) -> tensor<4096x8192xi32>"},
    {"select", kTypes, kMoved, "%p: tensor<4096x8192xi1>, %a: tensor<4096x8192xT>, %b: tensor<4096x8192xT>",
     "tensor<4096x8192xT>", "%r = stablehlo.select %p, %a, %b : tensor<4096x8192xi1>, tensor<4096x8192xT>"},
    {"compare", kTypes, kMoved, "%a: tensor<4096x8192xT>, %b: tensor<4096x8192xT>", "tensor<4096x8192xi1>",
     "%r = stablehlo.compare LT, %a, %b : (tensor<4096x8192xT>, tensor<4096x8192xT>) -> tensor<4096x8192xi1>"},
    {"and", "i1 i8 i32", kMoved, "%a: tensor<4096x8192xT>, %b: tensor<4096x8192xT>", "tensor<4096x8192xT>",
     "%r = stablehlo.and %a, %b : tensor<4096x8192xT>"},
    {"add", "i8 i32", kMoved, "%a: tensor<4096x8192xT>, %b: tensor<4096x8192xT>", "tensor<4096x8192xT>",
     "%r = stablehlo.add %a, %b : tensor<4096x8192xT>"},

    {"sum of rows", "bf16 f32 i32", 4194304, "%a: tensor<8x4x1024x128xT>, %b: tensor<T>", "tensor<8x4x1024xT>",
     "%r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [3] "
     ": (tensor<8x4x1024x128xT>, tensor<T>) -> tensor<8x4x1024xT>"},
    {"sum of columns", "bf16 f32 i32", 4194304, "%a: tensor<4096x1024xT>, %b: tensor<T>", "tensor<1024xT>",
     "%r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0] "
     ": (tensor<4096x1024xT>, tensor<T>) -> tensor<1024xT>"},
    {"maximum of rows", "bf16 f32 i32", 4194304, "%a: tensor<8x4x1024x128xT>, %b: tensor<T>", "tensor<8x4x1024xT>",
     "%r = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [3] "
     ": (tensor<8x4x1024x128xT>, tensor<T>) -> tensor<8x4x1024xT>"},
    {"maximum of a line", "bf16 f32", 128256, "%a: tensor<1x128256xT>, %b: tensor<T>", "tensor<1xT>",
     "%r = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1] "
     ": (tensor<1x128256xT>, tensor<T>) -> tensor<1xT>"},
    {"all of rows", "i1", 4194304, "%a: tensor<4096x1024xT>, %b: tensor<T>", "tensor<4096xT>",
     "%r = stablehlo.reduce(%a init: %b) applies stablehlo.and across dimensions = [1] "
     ": (tensor<4096x1024xT>, tensor<T>) -> tensor<4096xT>"},
    {"argmax of rows", "bf16 f32", 1048576, "%a: tensor<1024x1024xT>, %b: tensor<T>", "tensor<1024xi32>",
     R"(%i = stablehlo.iota dim = 1 : tensor<1024x1024xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %m, %r = stablehlo.reduce(%a init: %b), (%i init: %z) across dimensions = [1]
      : (tensor<1024x1024xT>, tensor<1024x1024xi32>, tensor<T>, tensor<i32>) -> (tensor<1024xT>, tensor<1024xi32>)
   reducer(%x: tensor<T>, %u: tensor<T>) (%y: tensor<i32>, %v: tensor<i32>) {
    %0 = stablehlo.compare GT, %x, %u : (tensor<T>, tensor<T>) -> tensor<i1>
    %1 = stablehlo.compare EQ, %x, %u : (tensor<T>, tensor<T>) -> tensor<i1>
    %2 = stablehlo.compare LT, %y, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.and %1, %2 : tensor<i1>
    %4 = stablehlo.or %0, %3 : tensor<i1>
    %5 = stablehlo.select %0, %x, %u : tensor<i1>, tensor<T>
    %6 = stablehlo.select %4, %y, %v : tensor<i1>, tensor<i32>
    stablehlo.return %5, %6 : tensor<T>, tensor<i32>
  })"},
    {"running sum of a line", "bf16 f32 i32", 128256, "%a: tensor<1x128256xT>, %b: tensor<T>", "tensor<1x128256xT>",
     R"(%r = "stablehlo.reduce_window"(%a, %b) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.add %x, %y : tensor<T>
    stablehlo.return %0 : tensor<T>
  }) {window_dimensions = array<i64: 1, 128256>, padding = dense<[[0, 0], [128255, 0]]> : tensor<2x2xi64>}
      : (tensor<1x128256xT>, tensor<T>) -> tensor<1x128256xT>)"},
    {"running sum of rows", "f32 i32", 1048576, "%a: tensor<1024x1024xT>, %b: tensor<T>", "tensor<1024x1024xT>",
     R"(%r = "stablehlo.reduce_window"(%a, %b) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.add %x, %y : tensor<T>
    stablehlo.return %0 : tensor<T>
  }) {window_dimensions = array<i64: 1, 1024>, padding = dense<[[0, 0], [1023, 0]]> : tensor<2x2xi64>}
      : (tensor<1024x1024xT>, tensor<T>) -> tensor<1024x1024xT>)"},
    {"maximum of windows", "bf16 f32", 3211264, "%a: tensor<4x64x112x112xT>, %b: tensor<T>", "tensor<4x64x56x56xT>",
     R"(%r = "stablehlo.reduce_window"(%a, %b) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.maximum %x, %y : tensor<T>
    stablehlo.return %0 : tensor<T>
  }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>,
      padding = dense<[[0, 0], [0, 0], [1, 0], [1, 0]]> : tensor<4x2xi64>}
      : (tensor<4x64x112x112xT>, tensor<T>) -> tensor<4x64x56x56xT>)"},
    {"sum of windows", "bf16 f32", 3211264, "%a: tensor<4x64x112x112xT>, %b: tensor<T>", "tensor<4x64x56x56xT>",
     R"(%r = "stablehlo.reduce_window"(%a, %b) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.add %x, %y : tensor<T>
    stablehlo.return %0 : tensor<T>
  }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>,
      padding = dense<[[0, 0], [0, 0], [1, 0], [1, 0]]> : tensor<4x2xi64>}
      : (tensor<4x64x112x112xT>, tensor<T>) -> tensor<4x64x56x56xT>)"},
    {"scatter of rows", "bf16 f32", 16777216,
     "%a: tensor<16384x1024xT>, %i: tensor<4096x1xi32>, %b: tensor<4096x1024xT>", "tensor<16384x1024xT>",
     R"(%r = "stablehlo.scatter"(%a, %i, %b) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    stablehlo.return %y : tensor<T>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}
      : (tensor<16384x1024xT>, tensor<4096x1xi32>, tensor<4096x1024xT>) -> tensor<16384x1024xT>)"},
    {"sum of scattered rows", "bf16 f32", 16777216,
     "%a: tensor<16384x1024xT>, %i: tensor<4096x1xi32>, %b: tensor<4096x1024xT>", "tensor<16384x1024xT>",
     R"(%r = "stablehlo.scatter"(%a, %i, %b) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.add %x, %y : tensor<T>
    stablehlo.return %0 : tensor<T>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<16384x1024xT>, tensor<4096x1xi32>, tensor<4096x1024xT>) -> tensor<16384x1024xT>)"},
    {"sort of a line", "bf16 f32 i32", 128256, "%a: tensor<1x128256xT>", "tensor<1x128256xT>",
     R"(%r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<1x128256xT>) -> tensor<1x128256xT>)"},
    {"sort of rows with numbers", "bf16 f32", 1048576, "%a: tensor<1024x1024xT>, %n: tensor<1024x1024xi32>",
     "tensor<1024x1024xi32>",
     R"(%q, %r = "stablehlo.sort"(%a, %n) ({
  ^bb0(%x: tensor<T>, %y: tensor<T>, %u: tensor<i32>, %v: tensor<i32>):
    %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true}
      : (tensor<1024x1024xT>, tensor<1024x1024xi32>) -> (tensor<1024x1024xT>, tensor<1024x1024xi32>))"},
    {"top_k of a line", "bf16 f32", 128256, "%a: tensor<1x128256xT>", "tensor<1x64xT>",
     "%r, %i = chlo.top_k(%a, k = 64) : tensor<1x128256xT> -> (tensor<1x64xT>, tensor<1x64xi32>)"},
};

// Replaces each T that is no part of a word by the type.
std::string Typed(std::string_view text, std::string_view type) {
  std::string typed;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool follows = i > 0 && (text[i - 1] == 'x' || text[i - 1] == '<');
    if (text[i] == 'T' && follows && i + 1 < text.size() && text[i + 1] == '>') {
      typed += type;
    } else {
      typed += text[i];
    }
  }
  return typed;
}

int Run(const std::string& policy, std::string_view only) {
  CompareBench bench("program_benchmark", policy);
  fmt::print("{:<28} {:<6} {:>10} {:>8}   policy {}\n", "program", "type", "ns/element", "GB/s", policy);
  for (const Program& program : kPrograms) {
    std::string_view rest = program.types;
    while (!rest.empty()) {
      const std::string_view type = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), type.size() + 1));
      const std::string line = fmt::format("{} {}", program.name, type);
      if (line.find(only) == std::string::npos) continue;
      const std::string text = Typed(fmt::format("func.func @main({}) -> {} {{\n  {}\n  return %r : {}\n}}\n",
                                                 program.parameters, program.result, program.body, program.result),
                                     type);
      if (const std::optional<CompareCost> cost = bench.Measure(line, text)) {
        fmt::print("{:<28} {:<6} {:>10.2f} {:>8.2f}\n", program.name, type,
                   cost->nanoseconds / static_cast<double>(program.elements),
                   static_cast<double>(cost->bytes) / cost->nanoseconds);
      }
      std::fflush(stdout);
    }
  }
  return bench.exit_code();
}

}  // namespace
}  // namespace opbyop::reference

int main(int argc, char** argv) {
  return opbyop::reference::Run(argc > 1 ? argv[1] : "domain", argc > 2 ? argv[2] : "");
}
