// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/axes.h"

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <string_view>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "manifests/cases/grid.h"

namespace opbyop::generator {
namespace {

// Adds a minor axis. It continues the last one if both are neighbouring digits of the device's number.
void Append(Axes& axes, Axis axis) {
  if (axis.size == 1) return;
  if (!axes.empty() && axes.back().stride == axis.stride * axis.size) {
    axes.back() = {axis.stride, axes.back().size * axis.size};
  } else {
    axes.push_back(axis);
  }
}

std::optional<Axis> AxisOf(sdy::AxisRefAttr reference, sdy::MeshAttr mesh) {
  int64_t stride = 1;
  for (const sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    if (axis.getName() != reference.getName()) {
      stride *= axis.getSize();
      continue;
    }
    const sdy::SubAxisInfoAttr part = reference.getSubAxisInfo();
    if (!part) return Axis{stride, axis.getSize()};
    return Axis{stride * (axis.getSize() / (part.getPreSize() * part.getSize())), part.getSize()};
  }
  return std::nullopt;
}

// The axes along which device ids at the positions 0, 1, ... of a dimension lie; nullopt if they are no digits.
std::optional<Axes> AxesOf(llvm::ArrayRef<int64_t> ids) {
  Axes minor_first;
  llvm::SmallVector<int64_t> rest(ids);
  while (rest.size() > 1) {
    const int64_t stride = rest[1] - rest[0];
    size_t run = 1;
    while (run < rest.size() && rest[run] == rest[0] + static_cast<int64_t>(run) * stride) ++run;
    if (stride <= 0 || rest.size() % run != 0) return std::nullopt;
    llvm::SmallVector<int64_t> firsts;
    for (size_t i = 0; i < rest.size(); i += run) {
      for (size_t k = 0; k < run; ++k) {
        if (rest[i + k] != rest[i] + static_cast<int64_t>(k) * stride) return std::nullopt;
      }
      firsts.push_back(rest[i]);
    }
    minor_first.push_back({stride, static_cast<int64_t>(run)});
    rest = std::move(firsts);
  }
  Axes axes;
  for (const Axis& axis : llvm::reverse(minor_first)) Append(axes, axis);
  return axes;
}

bool TakeIntegers(llvm::StringRef& text, llvm::SmallVectorImpl<int64_t>& list) {
  do {
    if (text.consumeInteger(10, list.emplace_back()) || list.back() < 0) return false;
  } while (text.consume_front(","));
  return true;
}

bool TakeBracketed(llvm::StringRef& text, char open, char close, llvm::SmallVectorImpl<int64_t>& list) {
  return text.consume_front(llvm::StringRef(&open, 1)) && TakeIntegers(text, list) &&
         text.consume_front(llvm::StringRef(&close, 1));
}

// The product, or nullopt if a number is 0 or there are too many devices.
std::optional<int64_t> CountOf(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || size > Grid::kMostProcesses / count) return std::nullopt;
    count *= size;
  }
  return count;
}

// "<=[2,4]T(1,0)": the numbers 0 to 7 in that shape, transposed.
bool TakeIota(llvm::StringRef& text, llvm::SmallVectorImpl<int64_t>& ids) {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> order;
  if (!text.consume_front("<=") || !TakeBracketed(text, '[', ']', sizes)) return false;
  const std::optional<int64_t> count = CountOf(sizes);
  if (!count) return false;
  if (text.consume_front("T")) {
    if (!TakeBracketed(text, '(', ')', order)) return false;
  } else {
    order.resize(sizes.size());
    std::iota(order.begin(), order.end(), 0);
  }
  llvm::SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (order.size() != sizes.size()) return false;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return false;
  }
  llvm::SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
  ids.assign(static_cast<size_t>(*count), 0);
  int64_t repeats = 1;
  for (const int64_t axis : llvm::reverse(order)) {
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] +=
          static_cast<int64_t>(i) / repeats % sizes[static_cast<size_t>(axis)] * strides[static_cast<size_t>(axis)];
    }
    repeats *= sizes[static_cast<size_t>(axis)];
  }
  return true;
}

// "devices=[2,4]<=[8]" and what may follow it, without the braces.
std::optional<Sharding> ReadTiles(llvm::StringRef text, size_t rank) {
  llvm::SmallVector<int64_t> tiles;
  llvm::SmallVector<int64_t> ids;
  if (!text.consume_front("devices=") || !TakeBracketed(text, '[', ']', tiles)) return std::nullopt;
  if (!(text.starts_with("<=") ? TakeIota(text, ids) : TakeIntegers(text, ids))) return std::nullopt;
  const bool replicated = text == " last_tile_dim_replicate" || text == " last_tile_dims={replicated}";
  if (!replicated && !text.empty()) return std::nullopt;
  const std::optional<int64_t> count = CountOf(tiles);
  if (tiles.size() != rank + (replicated ? 1 : 0) || !count || ids.size() != static_cast<size_t>(*count)) {
    return std::nullopt;
  }
  Sharding sharding;
  llvm::SmallVector<int64_t> expected(1, 0);  // the ids, if each tile dimension adds its own part to them
  int64_t repeats = *count;
  for (const int64_t tile : tiles) {
    repeats /= tile;
    llvm::SmallVector<int64_t> along;
    for (int64_t i = 0; i < tile; ++i) along.push_back(ids[static_cast<size_t>(i * repeats)] - ids[0]);
    std::optional<Axes> axes = AxesOf(along);
    if (!axes) return std::nullopt;
    sharding.push_back(std::move(axes));
    llvm::SmallVector<int64_t> next;
    for (const int64_t base : expected) {
      for (const int64_t offset : along) next.push_back(base + offset);
    }
    expected = std::move(next);
  }
  if (ids[0] != 0 || expected != ids) return std::nullopt;
  sharding.resize(rank);
  return sharding;
}

}  // namespace

int64_t PartsOf(llvm::ArrayRef<Axis> axes) {
  int64_t parts = 1;
  for (const Axis& axis : axes) parts *= axis.size;
  return parts;
}

bool Overlap(llvm::ArrayRef<Axis> a, llvm::ArrayRef<Axis> b) {
  return llvm::any_of(
      a, [&](const Axis& one) { return llvm::any_of(b, [&](const Axis& other) { return one.Overlaps(other); }); });
}

Expected<Sharding> ReadSharding(sdy::TensorShardingAttr sharding, size_t rank, mlir::Operation* op) {
  const auto bad = [&](std::string_view why) {
    std::string text;
    llvm::raw_string_ostream(text) << sharding;
    return MakeError(ExitCode::kUnsupported, fmt::format("{} is not understood: {}", text, why));
  };
  const sdy::MeshAttr mesh = sharding.MeshFor(op);
  if (!mesh) return bad("no mesh has this name");
  if (mesh.IsMaximal()) return Sharding(rank, Axes());
  if (sharding.getDimShardings().size() != rank) return bad(fmt::format("the tensor has rank {}", rank));
  llvm::SmallVector<int64_t> sizes;
  for (const sdy::MeshAxisAttr axis : mesh.getAxes()) sizes.push_back(axis.getSize());
  if (!CountOf(sizes)) return bad(fmt::format("its mesh has not 1 to {} devices", Grid::kMostProcesses));
  Sharding read(rank);
  for (const auto [dimension, stated] : llvm::zip(read, sharding.getDimShardings())) {
    if (!stated.getIsClosed() && stated.getAxes().empty()) continue;
    dimension.emplace();
    for (const sdy::AxisRefAttr reference : stated.getAxes()) {
      const std::optional<Axis> axis = AxisOf(reference, mesh);
      if (!axis) return bad(fmt::format("its mesh has no axis {}", std::string_view(reference.getName())));
      Append(*dimension, *axis);
    }
  }
  return read;
}

Expected<Sharding> ReadSharding(llvm::StringRef text, size_t rank) {
  if (text.empty()) return Sharding(rank, Axes());  // an OpSharding message of default values: replicated
  llvm::StringRef inside = text;
  const bool braced = inside.consume_front("{") && inside.consume_back("}");
  if (braced && (inside == "manual" || inside == "unknown")) return Sharding{};
  if (braced && (inside == "replicated" || inside.starts_with("maximal "))) return Sharding(rank, Axes());
  std::optional<Sharding> tiles = braced ? ReadTiles(inside, rank) : std::nullopt;
  if (tiles) return std::move(*tiles);
  std::string shown;  // old exports hold a serialized message instead of text
  llvm::raw_string_ostream out(shown);
  llvm::printEscapedString(text, out);
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("mhlo.sharding = \"{}\" is not understood, for a tensor of rank {}; expected tiles such "
                               "as {{devices=[2,4]<=[8]}}, whose devices differ in digits of their numbers",
                               shown, rank));
}

}  // namespace opbyop::generator
