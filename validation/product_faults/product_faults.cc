// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/product_faults/product_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/read_module.h"
#include "reference/tensor/counter_stream.h"
#include "reference/worker/product_judge.h"

namespace opbyop {
namespace {

using reference::CounterStream;
using reference::ElementType;
using reference::ProductLimits;
using reference::Shape;
using reference::Tensor;

// A right device's errors, as a share of the bound; results narrower than f32 have that of their own rounding.
constexpr double kRightError = 0.3;

struct Element {
  int64_t row, column;
  double sign;
};

bool IsInteger(const ProductSize& size) {
  return KindOf(*reference::ParseElementType(size.result)) == reference::ElementKind::kInteger;
}

// The side of the image of a convolution.
int64_t SideOf(const ProductSize& size) {
  return static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(size.rows))));
}

// The dimensions whose positions are the rows, as JudgeProduct samples them.
Shape RowExtentsOf(const ProductSize& size) {
  return size.window == 0 ? Shape{size.rows} : Shape{1, SideOf(size), SideOf(size)};
}

int64_t ChannelsOf(const ProductSize& size) { return size.depth / (size.window * size.window); }

// The operands' shapes.
std::pair<Shape, Shape> ShapesOf(const ProductSize& size) {
  if (size.window == 0) return {{size.rows, size.depth}, {size.depth, size.columns}};
  return {{1, SideOf(size), SideOf(size), ChannelsOf(size)},
          {size.window, size.window, ChannelsOf(size), size.columns}};
}

std::string ProgramOf(const ProductSize& size) {
  const auto in_text = [](const Shape& shape, const std::string& type) {
    return fmt::format("tensor<{}x{}>", fmt::join(shape, "x"), type);
  };
  const auto [lhs, rhs] = ShapesOf(size);
  Shape out = RowExtentsOf(size);
  out.push_back(size.columns);
  const int64_t pad = size.window / 2;
  const std::string op =
      size.window == 0
          ? "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]"
          : fmt::format(
                "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
                "{{pad = [[{0}, {0}], [{0}, {0}]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : "
                "i64}}",
                pad);
  return fmt::format(
      "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n  %r = {3} : ({0}, {1}) -> {2}\n  return %r : {2}\n}}\n",
      in_text(lhs, size.operands), in_text(rhs, size.operands), in_text(out, size.result), op);
}

// One product, and what a right device gives for it.
class Bench {
 public:
  explicit Bench(const ProductSize& size) : size_(size) {}

  Expected<void> Open() {
    auto module = ReadModuleFromBytes(ProgramOf(size_), "product", context_);
    if (!module) return Unexpected(module.error());
    module_ = std::move(*module);
    const Expected<mlir::Operation*> entry = reference::EntryOf(*module_);
    if (!entry) return Unexpected(entry.error());
    entry_ = *entry;
    const CounterStream stream(5);
    uint64_t drawn = 0;
    const ElementType type = *reference::ParseElementType(size_.operands);
    const auto [lhs, rhs] = ShapesOf(size_);
    for (const Shape& shape : {lhs, rhs}) {
      Tensor t = Tensor::Zeros(type, shape);
      if (IsInteger(size_)) {
        for (int64_t& v : t.Mutable<int64_t>()) v = WrapInteger(reference::Info(type), stream.Bits(drawn++));
      } else {
        for (double& v : t.Mutable<double>()) v = RoundTo(reference::FormatOf(type), 2 * stream.Unit(drawn++) - 1);
      }
      const std::vector<std::byte> bytes = TensorToBytes(t);
      reference::Buffer stored(bytes.size());
      std::ranges::copy(bytes, stored.data());
      arguments_.emplace_back(Tensor::OfStored(type, shape, std::move(stored)));
    }
    reference::Evaluator evaluator(*module_, {.bounds = true});
    Expected<reference::Values> exact = evaluator.CallFunction(entry_, arguments_);
    if (!exact) return Unexpected(exact.error());
    right_ = (*exact)[0].tensor();
    if (IsInteger(size_)) return {};
    const std::vector<double> bounds(right_.bounds().begin(), right_.bounds().end());
    unit_ = std::ranges::max(bounds);
    if (size_.result == "f32") {
      const auto values = right_.Mutable<double>();
      for (size_t i = 0; i < bounds.size(); ++i) {
        values[i] += kRightError * (2 * stream.Unit(drawn++) - 1) * bounds[i];
      }
    }
    return {};
  }

  // Moves these elements by a multiple of the greatest bound and judges the output.
  Expected<Comparison> Judge(const std::vector<Element>& moved, double bounds, uint64_t seed) const {
    Tensor output = right_;
    for (const Element& e : moved) Move(output, static_cast<size_t>(e.row * size_.columns + e.column), e.sign * bounds);
    reference::Evaluator evaluator(*module_, {.bounds = true});
    return JudgeProduct(entry_, evaluator, arguments_, output.shape(), TensorToBytes(output), {}, {}, seed, limits());
  }

  ProductLimits limits() const {
    ProductLimits limits;
    if (size_.checksum_products > 0) limits.checksum_products = size_.checksum_products;
    return limits;
  }

 private:
  void Move(Tensor& output, size_t at, double error) const {
    if (!IsInteger(size_)) {
      output.Mutable<double>()[at] += error * unit_;
      return;
    }
    int64_t& value = output.Mutable<int64_t>()[at];
    value = WrapInteger(reference::Info(output.type()), static_cast<uint64_t>(value + std::llround(error)));
  }

  const ProductSize& size_;
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Operation* entry_ = nullptr;
  reference::Values arguments_;
  Tensor right_;
  double unit_ = 0;
};

// The elements that a fault moves, at a place that the stream chooses. Tiles have `edge` rows and columns and begin at
// multiples of it.
std::vector<Element> Moved(const ProductSize& size, Spread spread, int64_t edge, const CounterStream& stream) {
  uint64_t drawn = 0;
  const auto below = [&](int64_t n) { return static_cast<int64_t>(stream.Below(drawn++, static_cast<uint64_t>(n))); };
  int64_t row = 0, column = 0, rows = size.rows, columns = size.columns;
  if (spread == Spread::kElement || spread == Spread::kRow) {
    row = below(size.rows);
    rows = 1;
  }
  if (spread == Spread::kElement) {
    column = below(size.columns);
    columns = 1;
  }
  if (spread == Spread::kTile || spread == Spread::kAlike) {
    row = edge * below(size.rows / edge);
    column = edge * below(size.columns / edge);
    rows = columns = edge;
  }
  std::vector<Element> moved;
  moved.reserve(static_cast<size_t>(rows * columns));
  for (int64_t r = row; r < row + rows; ++r) {
    for (int64_t c = column; c < column + columns; ++c) {
      moved.push_back({r, c, spread != Spread::kAlike && (stream.Bits(drawn++) & 1) != 0 ? -1.0 : 1.0});
    }
  }
  return moved;
}

// Whether the sample of this seed has one of the elements (JudgeProduct).
bool IsSampled(const std::vector<Element>& moved, const ProductSize& size, const ProductLimits& limits, uint64_t seed) {
  const auto rows = reference::StratifiedPlaces(RowExtentsOf(size), limits.sampled_rows, seed + 1);
  const auto columns = reference::StratifiedPositions(size.columns, limits.sampled_columns, seed + 2);
  return std::ranges::any_of(moved, [&](const Element& e) {
    return std::ranges::binary_search(rows, e.row) && std::ranges::binary_search(columns, e.column);
  });
}

// Whether the derivation says that an error of so many bounds is found wherever it is.
bool IsCertain(Spread spread, double bounds, double least_error, const ProductSize& size) {
  if (IsInteger(size)) return spread == Spread::kElement || spread == Spread::kEverywhere;
  switch (spread) {
    case Spread::kElement:
    case Spread::kRow:
    case Spread::kTile:
      return bounds > least_error;
    case Spread::kAlike:
      return bounds > 3;
    case Spread::kEverywhere:
      // A narrower result is rounded again, by half a bound or less.
      return bounds > (size.result == "f32" ? 1 : 2);
  }
  return false;
}

// The errors that are tried: of floats in bounds; of integers the least one, one of a middle bit and that of the top bit.
std::vector<double> ErrorsOf(const ProductSize& size, double shared, double least_error) {
  if (!IsInteger(size)) return {1.01, 3.03, shared / 4, shared / 2, shared, 1.01 * least_error};
  const int width = reference::Info(*reference::ParseElementType(size.result)).width;
  return {1, std::ldexp(1, width / 2), std::ldexp(1, width - 1)};
}

std::string Cell(const FoundFaults& f) {
  const int found = f.by_sample + f.by_checksum;
  std::string how = f.by_sample == 0 ? "checksum" : f.by_checksum == 0 ? "sample" : "both";
  return fmt::format("{}{}{}", f.certain ? "**" : "",
                     found == 0 ? "none" : fmt::format("{} % {}", 100 * found / f.tried, how), f.certain ? "**" : "");
}

}  // namespace

std::string_view ToString(Spread spread) {
  switch (spread) {
    case Spread::kElement:
      return "one element";
    case Spread::kRow:
      return "a row";
    case Spread::kTile:
      return "a tile";
    case Spread::kAlike:
      return "a tile, all elements alike";
    case Spread::kEverywhere:
      return "every element";
  }
  return "";
}

Expected<ProductFaults> InjectProductFaults(const ProductSize& size, int seeds) {
  Bench bench(size);
  if (const Expected<void> opened = bench.Open(); !opened) return Unexpected(opened.error());
  ProductFaults faults{.size = size};
  for (int seed = 0; seed < seeds; ++seed) {
    const Expected<Comparison> right = bench.Judge({}, 0, static_cast<uint64_t>(seed));
    if (!right) return Unexpected(right.error());
    faults.judged = right->judged;
    faults.least_error = right->least_error;
    faults.right_refused += right->accepted ? 0 : 1;
  }
  // The rows of a checksum of floats; those of integers are so many that the sample has a part of each such tile.
  constexpr double kIntegerTile = 16;
  const double shared = IsInteger(size) ? kIntegerTile : faults.least_error * 2 / 3;
  const auto edge = std::min({static_cast<int64_t>(shared), size.rows, size.columns});
  const std::vector<double> errors = ErrorsOf(size, shared, faults.least_error);
  for (const Spread spread : kAllSpreads) {
    for (const double bounds : errors) {
      FoundFaults found{.spread = spread, .bounds = bounds};
      found.certain = IsCertain(spread, bounds, faults.least_error, size);
      for (int seed = 0; seed < seeds; ++seed) {
        const CounterStream stream(static_cast<uint64_t>(1000 + seed));
        const std::vector<Element> moved = Moved(size, spread, edge, stream);
        const Expected<Comparison> judged = bench.Judge(moved, bounds, static_cast<uint64_t>(seed));
        if (!judged) return Unexpected(judged.error());
        ++found.tried;
        if (judged->accepted) continue;
        ++(IsSampled(moved, size, bench.limits(), static_cast<uint64_t>(seed)) ? found.by_sample : found.by_checksum);
      }
      faults.found.push_back(found);
    }
  }
  return faults;
}

std::string ToText(const ProductSize& size) {
  const std::string types = fmt::format("{} to {}", size.operands, size.result);
  if (size.window == 0) {
    return fmt::format("{}x{} by {}x{}, {}", size.rows, size.depth, size.depth, size.columns, types);
  }
  return fmt::format("{0}x{0} convolution of {1}x{1}x{2}, {3} features, {4}", size.window, SideOf(size),
                     ChannelsOf(size), size.columns, types);
}

std::string ToMarkdown(std::span<const ProductFaults> products) {
  std::string text;
  for (const ProductFaults& p : products) {
    text += fmt::format("{}{}: {}; {} right outputs refused.\n\n", text.empty() ? "" : "\n", ToText(p.size), p.judged,
                        p.right_refused == 0 ? "no" : std::to_string(p.right_refused));
    for (const Spread spread : kAllSpreads) {
      std::string head = IsInteger(p.size) ? "| error of an element |" : "| error of an element, in bounds |";
      std::string rule = "|---|";
      std::string row = fmt::format("| {} |", ToString(spread));
      for (const FoundFaults& f : p.found) {
        if (f.spread != spread) continue;
        head +=
            fmt::format(" {} |", IsInteger(p.size) ? fmt::format("{:.0f}", f.bounds) : fmt::format("{:.4g}", f.bounds));
        rule += "---|";
        row += fmt::format(" {} |", Cell(f));
      }
      if (spread == Spread::kElement) text += fmt::format("{}\n{}\n", head, rule);
      text += row + "\n";
    }
  }
  return text;
}

}  // namespace opbyop
