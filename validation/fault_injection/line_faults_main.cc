// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// line_faults [--seeds N] [--misses] [--write FOLDER]: injects faults of reductions, running sums and sorts at the
// lengths of real models, under the policies of a nightly. Prints for each family and fault how many runs it could
// affect, how many it changed, and how many of these are red. --write only writes the programs, for a run on a target.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"
#include "reference/inputs/inputs.h"
#include "support/files/file.h"
#include "validation/fault_injection/faulty_device.h"

namespace opbyop::fault_injection {
namespace {

using reference::InputData;

constexpr std::array kNightly = {InputKind::kDomain, InputKind::kSparse, InputKind::kExactInt, InputKind::kEdge};

struct LineCase {
  std::string name, family, text;
};

std::string TensorOf(const std::string& shape, const std::string& type) {
  return "tensor<" + (shape.empty() ? "" : shape + "x") + type + ">";
}

LineCase Reduction(const std::string& form, const std::string& shape, const std::string& dims, const std::string& out,
                   const std::string& type) {
  const std::string init = form == "add" ? "0.0" : form == "maximum" ? "-inf" : "inf";
  const std::string scalar = TensorOf("", type);
  // An infinity is written as its bits.
  const std::map<std::string, std::array<std::string, 2>> bits = {
      {"f32", {"0xFF800000", "0x7F800000"}}, {"bf16", {"0xFF80", "0x7F80"}}, {"f16", {"0xFC00", "0x7C00"}}};
  const std::string value = form == "add" ? init : bits.at(type)[form == "maximum" ? 0 : 1];
  return {
      fmt::format("{} {} {}", form, shape, type), form == "add" ? "sum" : "extreme",
      fmt::format("func.func @main(%a: {0}) -> {1} {{\n  %z = stablehlo.constant dense<{2}> : {3}\n"
                  "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.{4} across dimensions = [{5}] : ({0}, {3}) "
                  "-> {1}\n  return %0 : {1}\n}}\n",
                  TensorOf(shape, type), TensorOf(out, type), value, scalar, form, dims)};
}

// Adds up narrow types as frameworks do: in f32, and converts the mean back.
LineCase Mean(int64_t rows, int64_t n, const std::string& type, const std::string& out) {
  return {fmt::format("mean {}x{} {} to {}", rows, n, type, out), "sum",
          fmt::format(R"(func.func @main(%a: tensor<{0}x{1}x{2}>) -> tensor<{0}x{3}> {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<{1}.0> : tensor<{0}xf32>
  %0 = stablehlo.convert %a : (tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}xf32>
  %2 = stablehlo.divide %1, %n : tensor<{0}xf32>
  %3 = stablehlo.convert %2 : (tensor<{0}xf32>) -> tensor<{0}x{3}>
  return %3 : tensor<{0}x{3}>
}}
)",
                      rows, n, type, out)};
}

LineCase ArgMax(int64_t rows, int64_t n, const std::string& type) {
  const std::map<std::string, std::string> bits = {{"f32", "0xFF800000"}, {"bf16", "0xFF80"}, {"f16", "0xFC00"}};
  return {fmt::format("argmax {}x{} {}", rows, n, type), "argmax",
          fmt::format(R"(func.func @main(%a: tensor<{0}x{1}x{2}>) -> (tensor<{0}x{2}>, tensor<{0}xi32>) {{
  %z = stablehlo.constant dense<{3}> : tensor<{2}>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<{0}x{1}xi32>
  %0:2 = stablehlo.reduce(%a init: %z), (%i init: %zi) across dimensions = [1] : (tensor<{0}x{1}x{2}>, tensor<{0}x{1}xi32>, tensor<{2}>, tensor<i32>) -> (tensor<{0}x{2}>, tensor<{0}xi32>)
   reducer(%x: tensor<{2}>, %y: tensor<{2}>) (%p: tensor<i32>, %q: tensor<i32>) {{
    %gt = stablehlo.compare GT, %x, %y, FLOAT : (tensor<{2}>, tensor<{2}>) -> tensor<i1>
    %nan = stablehlo.compare NE, %x, %x, FLOAT : (tensor<{2}>, tensor<{2}>) -> tensor<i1>
    %first = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<{2}>, tensor<{2}>) -> tensor<i1>
    %lt = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %index = stablehlo.or %first, %tie : tensor<i1>
    %v = stablehlo.select %first, %x, %y : tensor<i1>, tensor<{2}>
    %w = stablehlo.select %index, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<{2}>, tensor<i32>
  }}
  return %0#0, %0#1 : tensor<{0}x{2}>, tensor<{0}xi32>
}}
)",
                      rows, n, type, bits.at(type))};
}

LineCase Running(const std::string& form, int64_t rows, int64_t n, const std::string& type) {
  const std::map<std::string, std::string> bits = {{"f32", "0xFF800000"}, {"bf16", "0xFF80"}, {"f16", "0xFC00"}};
  return {fmt::format("running {} {}x{} {}", form, rows, n, type), "running " + form,
          fmt::format(R"(func.func @main(%a: tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}x{2}> {{
  %z = stablehlo.constant dense<{3}> : tensor<{2}>
  %0 = "stablehlo.reduce_window"(%a, %z) <{{window_dimensions = array<i64: 1, {1}>, padding = dense<[[0, 0], [{4}, 0]]> : tensor<2x2xi64>}}> ({{
    ^bb0(%x: tensor<{2}>, %y: tensor<{2}>):
      %m = stablehlo.{5} %x, %y : tensor<{2}>
      stablehlo.return %m : tensor<{2}>
  }}) : (tensor<{0}x{1}x{2}>, tensor<{2}>) -> tensor<{0}x{1}x{2}>
  return %0 : tensor<{0}x{1}x{2}>
}}
)",
                      rows, n, type, form == "add" ? "0.0" : bits.at(type), n - 1, form)};
}

// Sorts as JAX does (both zeros are equal, and so are all NaN), by total order, or by `<`.
LineCase Sorting(const std::string& kind, bool payload, bool stable, int64_t rows, int64_t n, const std::string& type) {
  const std::string scalar = TensorOf("", type);
  const std::string tensor = fmt::format("tensor<{}x{}x{}>", rows, n, type);
  const std::string indices = fmt::format("tensor<{}x{}xi32>", rows, n);
  std::string body;
  std::string x = "%x";
  std::string y = "%y";
  if (kind == "jax") {
    const std::map<std::string, std::string> nan = {{"f32", "0x7FC00000"}, {"bf16", "0x7FC0"}, {"f16", "0x7E00"}};
    body += fmt::format("%zero = stablehlo.constant dense<0.0> : {0}\n%nan = stablehlo.constant dense<{1}> : {0}\n",
                        scalar, nan.at(type));
    for (const std::string v : {"x", "y"}) {
      body += fmt::format(
          "%{0}z = stablehlo.compare EQ, %{0}, %zero, FLOAT : ({1}, {1}) -> tensor<i1>\n"
          "%{0}0 = stablehlo.select %{0}z, %zero, %{0} : tensor<i1>, {1}\n"
          "%{0}n = stablehlo.compare NE, %{0}, %{0}, FLOAT : ({1}, {1}) -> tensor<i1>\n"
          "%{0}1 = stablehlo.select %{0}n, %nan, %{0}0 : tensor<i1>, {1}\n",
          v, scalar);
    }
    x = "%x1";
    y = "%y1";
  }
  body +=
      fmt::format("%c = stablehlo.compare LT, {}, {}, {} : ({}, {}) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n",
                  x, y, kind == "float" ? "FLOAT" : "TOTALORDER", scalar, scalar);
  const std::string attributes = fmt::format("<{{dimension = 1 : i64, is_stable = {}}}>", stable);
  const std::string name =
      fmt::format("sort {}{}{} {}x{} {}", kind, stable ? " stable" : "", payload ? " pairs" : "", rows, n, type);
  if (!payload) {
    return {name, stable ? "stable sort" : "sort",
            fmt::format("func.func @main(%a: {0}) -> {0} {{\n  %0 = \"stablehlo.sort\"(%a) {1} ({{\n^bb0(%x: {2}, %y: "
                        "{2}):\n{3}}}) : ({0}) -> {0}\n  return %0 : {0}\n}}\n",
                        tensor, attributes, scalar, body)};
  }
  return {name, stable ? "stable sort" : "sort",
          fmt::format("func.func @main(%a: {0}, %i: {4}) -> ({0}, {4}) {{\n  %0:2 = \"stablehlo.sort\"(%a, %i) {1} "
                      "({{\n^bb0(%x: {2}, %y: {2}, %p: tensor<i32>, %q: tensor<i32>):\n{3}}}) : ({0}, {4}) -> ({0}, "
                      "{4})\n  return %0#0, %0#1 : {0}, {4}\n}}\n",
                      tensor, attributes, scalar, body, indices)};
}

std::vector<LineCase> AllCases() {
  std::vector<LineCase> cases;
  for (const std::string type : {"f32", "bf16", "f16"}) {
    for (const std::string form : {"add", "maximum", "minimum"}) {
      cases.push_back(Reduction(form, "1x4096", "1", "1", type));
      cases.push_back(Reduction(form, "32x4096", "1", "32", type));
      cases.push_back(Reduction(form, "1x128256", "1", "1", type));
      cases.push_back(Reduction(form, "4x128256", "1", "4", type));
      cases.push_back(Reduction(form, "1000x400", "0, 1", "", type));
      cases.push_back(Reduction(form, "1000000", "0", "", type));
      cases.push_back(Reduction(form, "4096x7", "0", "7", type));
    }
    for (const std::string out : {"f32", "bf16"}) {
      cases.push_back(Mean(1, 4096, type, out));
      cases.push_back(Mean(4, 128256, type, out));
    }
    for (const auto& [rows, n] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 4096}, {8, 4096}, {1, 128256}, {2, 400000}}) {
      cases.push_back(ArgMax(rows, n, type));
    }
    for (const std::string form : {"add", "maximum"}) {
      for (const int64_t rows : {1, 4}) cases.push_back(Running(form, rows, 4096, type));
    }
    for (const auto& [rows, n] : std::vector<std::pair<int64_t, int64_t>>{{1, 4096}, {64, 100}}) {
      for (const std::string kind : {"jax", "total", "float"}) {
        cases.push_back(Sorting(kind, true, true, rows, n, type));
        cases.push_back(Sorting(kind, false, false, rows, n, type));
        cases.push_back(Sorting(kind, true, false, rows, n, type));
      }
    }
  }
  return cases;
}

struct Count {
  int runs = 0, changed = 0, red = 0;
  std::vector<std::string> unchanged, missed;
};

struct Trial {
  reference::Values arguments;
  std::vector<reference::Tensor> expected;
  std::vector<InputData> right;
};

Expected<Trial> MakeTrial(mlir::ModuleOp module, InputKind kind, uint64_t seed) {
  const Expected<std::vector<InputData>> drawn = reference::MakeInputs(module, kind, seed);
  if (!drawn) return Unexpected(drawn.error());
  Trial trial;
  for (const InputData& data : *drawn) {
    Expected<reference::Tensor> t = reference::TensorFromBytes(data.type, data.shape, data.bytes);
    if (!t) return Unexpected(t.error());
    trial.arguments.emplace_back(std::move(*t));
  }
  const Expected<mlir::Operation*> entry = reference::EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  reference::Evaluator evaluator(
      module,
      {.bounds = true, .exact_integers = kind == InputKind::kExactInt, .deviations = kind == InputKind::kDomain});
  Expected<reference::Values> results = evaluator.CallFunction(*entry, trial.arguments);
  if (!results) return Unexpected(results.error());
  for (reference::Value& value : *results) trial.expected.push_back(std::move(value.tensor()));
  Expected<std::vector<InputData>> right = RunFaulty(nullptr, module, trial.arguments);
  if (!right) return Unexpected(right.error());
  trial.right = std::move(*right);
  return trial;
}

bool IsRed(const Trial& trial, const std::vector<InputData>& got) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (!reference::RatioIfAccepted(trial.expected[i], got[i].bytes)) return true;
    if (reference::PrecisionRatio(trial.expected[i], got[i].bytes) > 1) return true;
  }
  return false;
}

// Whether the fault is one of lines, and can affect the case.
bool Applies(const Fault& fault, const LineCase& c) {
  const std::string_view name = fault.name;
  const std::string& family = c.family;
  const bool sorts = family.ends_with("sort");
  if (name == "sort_unstable") return family == "stable sort";
  // Other sorts have no place for NaN, or one that does not depend on its sign.
  if (name == "sort_nan_without_sign") return c.name.starts_with("sort total");
  if (name == "sort_loses_equal_key") return sorts;
  if (sorts) return false;
  if (name == "line_sum_skips_nan") return family == "sum" || family == "running add";
  if (name == "line_extreme_skips_nan") return family == "extreme" || family == "running maximum";
  if (name == "argmax_skips_nan") return family == "argmax";
  if (name == "line_tile_padded_with_zero") return family == "extreme" || family == "argmax";
  return name.starts_with("line_");
}

int WriteAll(const std::filesystem::path& folder) {
  for (const LineCase& c : AllCases()) {
    std::string name = c.name;
    std::ranges::replace(name, ' ', '_');
    if (const Expected<void> written = WriteFile(folder / (name + ".mlir"), c.text); !written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return static_cast<int>(written.error().code);
    }
  }
  return 0;
}

int Main(int argc, char** argv) {
  uint64_t seeds = 4;
  bool misses = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--misses") misses = true;
    if (std::string_view(argv[i]) == "--write" && i + 1 < argc) return WriteAll(argv[i + 1]);
    if (std::string_view(argv[i]) == "--seeds" && i + 1 < argc) seeds = std::strtoull(argv[++i], nullptr, 10);
  }
  std::map<std::pair<std::string, std::string>, Count> counts;
  int refused = 0;
  for (const LineCase& c : AllCases()) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const auto module = ReadModuleFromBytes(c.text, c.name, context);
    if (!module) {
      std::fprintf(stderr, "%s\n%s\n", module.error().message.c_str(), c.text.c_str());
      return static_cast<int>(module.error().code);
    }
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      std::vector<Trial> trials;
      for (const InputKind kind : kNightly) {
        Expected<Trial> trial = MakeTrial(module->get(), kind, reference::SeedOf(c.name, seed));
        if (!trial) {
          std::fprintf(stderr, "%s: %s\n", c.name.c_str(), trial.error().message.c_str());
          return static_cast<int>(trial.error().code);
        }
        // The result of a right device.
        if (IsRed(*trial, trial->right)) {
          ++refused;
          std::printf("refused: %s, seed %d, %s\n", c.name.c_str(), static_cast<int>(seed),
                      std::string(ToString(kind)).c_str());
        }
        trials.push_back(std::move(*trial));
      }
      for (const Fault& fault : Faults()) {
        if (!Applies(fault, c)) continue;
        bool changed = false;
        bool red = false;
        for (const Trial& trial : trials) {
          const auto got = RunFaulty(&fault, module->get(), trial.arguments);
          if (!got) continue;
          bool other = false;
          for (size_t i = 0; i < got->size(); ++i) other = other || (*got)[i].bytes != trial.right[i].bytes;
          changed = changed || other;
          red = red || (other && IsRed(trial, *got));
          if (red) break;
        }
        Count& count = counts[{c.family, fault.name}];
        ++count.runs;
        count.changed += changed;
        count.red += red;
        if (!changed) count.unchanged.push_back(fmt::format("{}#{}", c.name, seed));
        if (changed && !red) count.missed.push_back(fmt::format("{}#{}", c.name, seed));
      }
    }
  }
  std::printf("| family | fault | runs | changed | red |\n|---|---|---|---|---|\n");
  for (const auto& [key, count] : counts) {
    std::printf("| %s | %s | %d | %d | %d |\n", key.first.c_str(), key.second.c_str(), count.runs, count.changed,
                count.red);
    if (!misses) continue;
    for (const std::string& name : count.missed) std::printf("  missed: %s\n", name.c_str());
    for (const std::string& name : count.unchanged) std::printf("  unchanged: %s\n", name.c_str());
  }
  std::printf("%d right results refused\n", refused);
  return refused > 0 ? static_cast<int>(ExitCode::kUnexpectedResult) : 0;
}

}  // namespace
}  // namespace opbyop::fault_injection

int main(int argc, char** argv) { return opbyop::fault_injection::Main(argc, argv); }
