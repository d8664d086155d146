// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what `compare` costs for a product, beside one product in f64 and one in f32 of the same shape by the same
// library in the same run: processor time of one core, with the files read and their digests checked. The budget is
// twice the library's time, for each policy.
//
//   product_benchmark               // all products, inputs of `domain`
//   product_benchmark sparse bf16   // another policy; only lines that contain the text
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/tensor/blas.h"
#include "reference/worker/compare_cost.h"

namespace opbyop::reference {
namespace {

// `batches` products of rows x depth by depth x columns.
struct ProductShape {
  std::string_view name;
  int64_t batches, rows, depth, columns;
};

constexpr ProductShape kShapes[] = {
    {"a vector by a matrix", 1, 1, 4096, 14336},   {"a long vector by a matrix", 1, 1, 8192, 28672},
    {"a matrix by a matrix", 1, 128, 4096, 14336}, {"square matrices", 1, 2048, 2048, 2048},
    {"scores of attention", 32, 1024, 128, 1024},
};

// The least time of three products by the library.
template <typename T, typename Multiply>
double SecondsOf(const ProductShape& shape, Multiply multiply) {
  constexpr int kRuns = 3;
  const auto m = static_cast<int>(shape.rows), k = static_cast<int>(shape.depth), n = static_cast<int>(shape.columns);
  const std::vector<T> a(static_cast<size_t>(shape.rows * shape.depth), T(0.75));
  const std::vector<T> b(static_cast<size_t>(shape.depth * shape.columns), T(1.25));
  std::vector<T> c(static_cast<size_t>(shape.rows * shape.columns));
  double least = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double start = ProcessorNanoseconds();
    multiply(kBlasRowMajor, kBlasAsItIs, kBlasAsItIs, m, n, k, T(1), a.data(), k, b.data(), n, T(0), c.data(), n);
    const double spent = (ProcessorNanoseconds() - start) / 1e9;
    least = run == 0 ? spent : std::min(least, spent);
  }
  return least * static_cast<double>(shape.batches);
}

std::string TextOf(const ProductShape& shape, std::string_view type) {
  const std::string a = fmt::format("tensor<{}x{}x{}x{}>", shape.batches, shape.rows, shape.depth, type);
  const std::string b = fmt::format("tensor<{}x{}x{}x{}>", shape.batches, shape.depth, shape.columns, type);
  const std::string c = fmt::format("tensor<{}x{}x{}x{}>", shape.batches, shape.rows, shape.columns, type);
  return fmt::format(
      "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n"
      "  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]"
      " : ({0}, {1}) -> {2}\n"
      "  return %r : {2}\n}}\n",
      a, b, c);
}

int Run(const std::string& policy, std::string_view only) {
  const Blas* blas = InstalledBlas();
  if (blas == nullptr || blas->sgemm == nullptr) {
    fmt::print("product_benchmark: this machine has no OpenBLAS\n");
    return 0;
  }
  CompareBench bench("product_benchmark", policy);
  fmt::print("{:<26} {:<5} {:>10} {:>8} {:>8} {:>6}   policy {}\n", "product", "type", "compare s", "f64 s", "f32 s",
             "ratio", policy);
  for (const ProductShape& shape : kShapes) {
    for (const std::string_view type : {"bf16", "f32"}) {
      const std::string line = fmt::format("{} {}", shape.name, type);
      if (line.find(only) == std::string::npos) continue;
      const std::optional<CompareCost> cost = bench.Measure(line, TextOf(shape, type));
      if (!cost) continue;
      const double f64 = SecondsOf<double>(shape, blas->dgemm), f32 = SecondsOf<float>(shape, blas->sgemm);
      fmt::print("{:<26} {:<5} {:>10.3f} {:>8.3f} {:>8.3f} {:>6.2f}\n", shape.name, type, cost->nanoseconds / 1e9, f64,
                 f32, cost->nanoseconds / 1e9 / (f64 + f32));
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
