// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/made_twin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <vector>

#include "harness/inputs/twins.h"
#include "manifests/cases/case_sharding.h"
#include "support/dtype.h"
#include "support/op_kind.h"
#include "support/saturated.h"
#include "support/sharding/shards.h"
#include "support/tensor_type.h"

namespace opbyop::harness {
namespace {

constexpr std::string_view kTensorBegin = "tensor<";

// The extents of a program and those that take their place.
using Extents = std::map<int64_t, int64_t>;

// Calls fn(extent) for each extent in `tensor<...>` and replaces it by what fn returns. Returns nullopt if one is
// dynamic.
template <typename Fn>
std::optional<std::string> ReplaceExtents(std::string_view program, Fn&& fn) {
  std::string text;
  for (size_t at = 0; at < program.size();) {
    const size_t begin = program.find(kTensorBegin, at);
    if (begin == std::string_view::npos) return text += program.substr(at);
    const size_t shape = begin + kTensorBegin.size();
    text += program.substr(at, shape - at);
    at = shape;
    while (at < program.size()) {
      if (program[at] == '?') return std::nullopt;
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(program.data() + at, program.data() + program.size(), extent);
      const auto next = static_cast<size_t>(end - program.data());
      if (error != std::errc() || next == program.size() || program[next] != 'x') break;
      text += fmt::format("{}x", fn(extent));
      at = next + 1;
    }
  }
  return text;
}

// Maps extents above `limit` to numbers between its half and itself, with the same remainder by that half, and different
// ones to different numbers, `step` apart.
Extents Reduced(const std::set<int64_t>& extents, int64_t limit, int64_t step) {
  const int64_t half = limit / 2;
  Extents reduced;
  std::set<int64_t> taken;
  for (const int64_t extent : extents) {
    int64_t to = extent <= limit ? extent : half + extent % half;
    while (extent > limit && taken.contains(to)) to += step;
    taken.insert(to);
    reduced[extent] = to;
  }
  return reduced;
}

SharedList<TensorType> WithExtents(const SharedList<TensorType>& types, const Extents& extents) {
  std::vector<TensorType> changed;
  for (TensorType type : types) {
    for (int64_t& extent : type.shape) extent = extents.at(extent);
    changed.push_back(std::move(type));
  }
  return changed;
}

std::string ShapesOf(const SharedList<TensorType>& types) {
  std::vector<std::string> shapes;
  for (const TensorType& type : types) shapes.push_back(fmt::format("{}", fmt::join(type.shape, "x")));
  return fmt::format("({})", fmt::join(shapes, ", "));
}

// Whether the divisions of tensors of the types `from` are ones of `to`, whose parts have padding only where theirs have.
bool Divide(const SharedList<TensorType>& to, const SharedList<TensorType>& from,
            const std::vector<Division>& divisions) {
  for (size_t i = 0; i < to.size(); ++i) {
    const bool even = DividesEvenly(from[i].shape, divisions[i]);
    if (!(even ? DividesEvenly(to[i].shape, divisions[i]) : CanDivide(to[i].shape, divisions[i]))) return false;
  }
  return true;
}

}  // namespace

MadeTwin TwinOfLoop(const Case& c, const protocol::SmallerProgram& smaller, std::string why) {
  MadeTwin twin{.c = c, .program = smaller.program, .shapes = {}, .replaces = std::move(why)};
  twin.c.id += "_twin";
  twin.c.op = kLayer;
  twin.c.file.clear();
  twin.c.inputs = smaller.inputs;
  twin.c.outputs = smaller.outputs;
  twin.c.bytes = 0;
  for (const auto* types : {&twin.c.inputs, &twin.c.outputs}) {
    for (const TensorType& type : *types) twin.c.bytes = AddCapped(twin.c.bytes, StoredBytes(type));
  }
  twin.shapes = fmt::format("{} -> {}, {}", ShapesOf(twin.c.inputs), ShapesOf(twin.c.outputs), smaller.what);
  return twin;
}

bool MayHaveMadeTwin(const Case& c) {
  static constexpr std::array<std::string_view, 6> kOps = {"stablehlo.broadcast_in_dim", "stablehlo.dot",
                                                           "stablehlo.dot_general",      "stablehlo.reduce",
                                                           "stablehlo.reverse",          "stablehlo.transpose"};
  const bool elementwise = c.kind == OpKind::kElementwiseUnary || c.kind == OpKind::kElementwiseBinary ||
                           c.kind == OpKind::kElementwiseTernary;
  if (!elementwise && std::ranges::find(kOps, c.op) == kOps.end()) return false;
  return c.op.starts_with("stablehlo.") && !c.must_be_refused() && c.grid == Grid() &&
         ElementsOf(c) > kMadeTwinElements;
}

std::optional<MadeTwin> MakeTwin(const Case& c, std::string_view program) {
  for (const std::string_view part : {"dense<[", "dense<\"", "dense_resource", "!quant."}) {
    if (program.find(part) != std::string_view::npos) return std::nullopt;
  }
  std::set<int64_t> extents;
  const auto note = [&](int64_t extent) {
    extents.insert(extent);
    return extent;
  };
  constexpr std::string_view kBytecode = "ML\xefR";
  if (program.starts_with(kBytecode) || !ReplaceExtents(program, note)) return std::nullopt;
  for (const auto* types : {&c.inputs, &c.outputs}) {
    for (const TensorType& type : *types) {
      if (!std::ranges::all_of(type.shape, [&](int64_t extent) { return extents.contains(extent); }))
        return std::nullopt;
    }
  }
  constexpr int64_t kGreatest = kTwinElements / 2, kLeast = 8;
  for (int64_t limit = kGreatest; limit >= kLeast; limit /= 2) {
    const Extents reduced = Reduced(extents, limit, c.sharding ? c.sharding->partitions : 1);
    MadeTwin twin{.c = c};
    twin.c.inputs = WithExtents(c.inputs, reduced);
    twin.c.outputs = WithExtents(c.outputs, reduced);
    if (ElementsOf(twin.c) > kTwinElements) continue;
    const CaseSharding* sharding = c.sharding.get();
    if (sharding != nullptr &&
        !(Divide(twin.c.inputs, c.inputs, sharding->inputs) && Divide(twin.c.outputs, c.outputs, sharding->outputs))) {
      return std::nullopt;
    }
    twin.c.id += "_twin";
    twin.c.file.clear();
    twin.program = *ReplaceExtents(program, [&](int64_t extent) { return reduced.at(extent); });
    twin.shapes = ShapesOf(twin.c.inputs) + " -> " + ShapesOf(twin.c.outputs);
    return twin;
  }
  return std::nullopt;
}

}  // namespace opbyop::harness
