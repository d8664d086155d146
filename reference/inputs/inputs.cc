// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "llvm/ADT/Sequence.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "protocol/stored_form.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/edge_places.h"
#include "reference/inputs/elementwise_inputs.h"
#include "reference/inputs/input_role.h"
#include "reference/inputs/integers.h"
#include "reference/inputs/line_inputs.h"
#include "reference/inputs/real_numbers.h"
#include "reference/inputs/sparse_pattern.h"
#include "reference/inputs/spread_order.h"
#include "reference/tensor/counter_stream.h"
#include "support/aligned_memory.h"
#include "support/dtype.h"
#include "support/fnv.h"

namespace opbyop::reference {
namespace {

// Replaces a quarter of the indices, or the only one, by positions beyond and at both ends of the allowed range, in
// turn.
void PutEdgeIndices(ElementType type, const IndexRole& role, const CounterStream& stream, std::span<int64_t> out) {
  const ElementTypeInfo& info = Info(type);
  SpreadOrder order(out.size(), stream.Bits(~uint64_t{0}));
  const uint64_t turn = stream.Bits(~uint64_t{1});
  const size_t count = (out.size() + 3) / 4;
  for (size_t k = 0; k < count; ++k) {
    const size_t i = order.Next();
    const int64_t limit = role.LimitOf(i);
    const std::array<int64_t, 6> edges = {-1, limit + 1, MinInteger(type), MaxInteger(type), limit, 0};
    // If vectors must be unique, only positions out of range are used: one in range may equal another vector.
    const size_t some = role.unique ? 4 : edges.size();
    out[i] = WrapInteger(info, static_cast<uint64_t>(edges[(turn + k) % some]));
  }
}

// Returns the position of component 0 of index vector `v` in the tensor of indices.
size_t PlaceOf(const IndexRole& role, int64_t v) {
  const int64_t stride = std::max<int64_t>(role.component_stride, 1);
  return static_cast<size_t>(role.component_stride == 0 ? v : v / stride * stride * role.component_count + v % stride);
}

// Sorts the index vectors in the order that `sorted_by` states.
void SortIndices(ElementType type, const IndexRole& role, std::span<int64_t> out) {
  const bool is_signed = Info(type).is_signed;
  const auto count = static_cast<size_t>(std::max<int64_t>(role.component_count, 1));
  const auto stride = static_cast<size_t>(role.component_stride);
  std::vector<std::vector<int64_t>> vectors(out.size() / count, std::vector<int64_t>(count));
  for (size_t v = 0; v < vectors.size(); ++v) {
    for (size_t c = 0; c < count; ++c) vectors[v][c] = out[PlaceOf(role, static_cast<int64_t>(v)) + c * stride];
  }
  std::ranges::sort(vectors, [&](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    for (const size_t c : role.sorted_by) {
      if (a[c] == b[c]) continue;
      return is_signed ? a[c] < b[c] : static_cast<uint64_t>(a[c]) < static_cast<uint64_t>(b[c]);
    }
    return false;
  });
  for (size_t v = 0; v < vectors.size(); ++v) {
    for (size_t c = 0; c < count; ++c) out[PlaceOf(role, static_cast<int64_t>(v)) + c * stride] = vectors[v][c];
  }
}

void FillIndices(ElementType type, const IndexRole& role, InputKind kind, const CounterStream& stream,
                 std::span<int64_t> out) {
  const ElementTypeInfo& info = Info(type);
  int64_t places = role.unique ? 1 : std::numeric_limits<int64_t>::max();
  if (role.unique) {
    for (const int64_t limit : role.limits) places *= std::min<int64_t>(limit + 1, int64_t{1} << 20);
  }
  if (places < (int64_t{1} << 26)) {
    const int64_t vectors = static_cast<int64_t>(out.size()) / std::max<int64_t>(role.component_count, 1);
    const std::vector<int64_t> order = stream.Permutation(places);
    for (int64_t v = 0; v < vectors; ++v) {
      int64_t place = order[static_cast<size_t>(v % places)];
      const size_t base = PlaceOf(role, v);
      for (int64_t c = role.component_count; c-- > 0;) {
        const int64_t extent = role.limits[static_cast<size_t>(c)] + 1;
        out[base + static_cast<size_t>(c * role.component_stride)] = place % extent;
        place /= extent;
      }
    }
  } else {
    for (size_t i = 0; i < out.size(); ++i) {
      const auto v = static_cast<int64_t>(stream.Below(i, static_cast<uint64_t>(role.LimitOf(i)) + 1));
      out[i] = WrapInteger(info, static_cast<uint64_t>(v));
    }
  }
  if (kind == InputKind::kEdge) PutEdgeIndices(type, role, stream, out);
  if (!role.sorted_by.empty()) SortIndices(type, role, out);
}

// Stores special values that decide a whole sum (NaN, infinities, great numbers), one per 6 * `elements_per_result`
// elements. This leaves most results finite: a special value is in one of six sums.
void PutSpread(const FloatFormat& format, const InputRole& role, const CounterStream& stream, int64_t count,
               std::byte* out) {
  if (count == 0) return;
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // A small part of the largest finite number can be multiplied and added up in any order without overflow. The number
  // itself comes once in the tensors of every fourth seed, because the order of a sum may decide whether it overflows.
  const double great = format.max_finite / 64;
  const std::array values = {nan, inf, great, -inf, nan, -great, inf};
  const auto n = static_cast<uint64_t>(count);
  const uint64_t spacing = 6 * static_cast<uint64_t>(std::max<int64_t>(role.elements_per_result, 1));
  const uint64_t some = n / spacing + (stream.Below(~uint64_t{0}, spacing) < n % spacing ? 1 : 0);
  SpreadOrder order(n, stream.Bits(~uint64_t{1}));
  const uint64_t turn = stream.Bits(~uint64_t{2});
  const int64_t bytes = (format.bits + 7) / 8;
  for (uint64_t k = 0; k < some; ++k) {
    const auto i = static_cast<int64_t>(order.Next());
    const bool greatest = k == 0 && turn % 4 == 0;
    const double value = RoundTo(format, greatest ? format.max_finite : values[(turn + k) % values.size()]);
    if (!role.IsSpecified(value)) continue;
    const uint64_t code = EncodeFloat(format, value);
    std::memcpy(out + bytes * i, &code, static_cast<size_t>(bytes));
  }
}

// Fills a matrix: symmetric and well-conditioned, (A A^T + n I) / n for a random A; or a triangle with a strong
// diagonal.
void FillMatrix(ElementType type, const InputRole& role, const Shape& shape, const CounterStream& stream, Tensor& out) {
  const int64_t n = shape.empty() ? 0 : shape.back();
  if (n == 0) return;
  const bool definite = role.matrix == Matrix::kPositiveDefinite;
  std::vector<double> draw(static_cast<size_t>(n * n));
  for (int64_t b = 0; b < out.size() / (n * n); ++b) {
    const auto base = static_cast<uint64_t>(b * n * n);
    for (size_t i = 0; i < draw.size(); ++i) draw[i] = 2 * stream.Unit(base + i) - 1;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double v;
        if (definite) {
          v = i == j ? 1 : 0;
          for (int64_t k = 0; k < n; ++k) {
            v += draw[static_cast<size_t>(i * n + k)] * draw[static_cast<size_t>(j * n + k)] / static_cast<double>(n);
          }
        } else {
          v = draw[static_cast<size_t>(i * n + j)];
          const double diagonal = role.matrix == Matrix::kUnitTriangular ? 1 : std::copysign(1 + std::fabs(v), v);
          v = i == j ? diagonal : v / static_cast<double>(n);
        }
        const size_t at = base + static_cast<size_t>(i * n + j);
        if (out.kind() == ElementKind::kComplex) {
          out.Mutable<Complex>()[at] = RoundTo(FormatOf(type), v);
        } else {
          out.Mutable<double>()[at] = RoundTo(FormatOf(type), v);
        }
      }
    }
  }
}

// Returns a tensor of different values, evenly spread and in random order.
Tensor Distinct(ElementType type, const Shape& shape, const CounterStream& stream) {
  Tensor out = Tensor::Make(type, shape);
  const std::vector<int64_t> order = stream.Permutation(out.size());
  const auto n = static_cast<double>(std::max<int64_t>(out.size(), 1));
  const ElementTypeInfo& info = Info(type);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto place = static_cast<double>(order[i]);
    if (info.kind == ElementKind::kFloat) {
      out.Mutable<double>()[i] = RoundTo(*info.format, (place + 0.5) / n * 8 - 4);
    } else if (info.kind == ElementKind::kInteger) {
      const int64_t from = info.is_signed ? -(out.size() / 2) : 0;
      out.Mutable<int64_t>()[i] = WrapInteger(info, static_cast<uint64_t>(from + order[i]));
    } else if (info.kind == ElementKind::kComplex) {
      out.Mutable<Complex>()[i] = {RoundTo(*info.format, (place + 0.5) / n * 8 - 4), 0};
    } else {
      out.Mutable<uint8_t>()[i] = order[i] & 1;
    }
  }
  return out;
}

// Returns zeros, except for the elements of the pattern, which have the values of `domain`.
InputData MakeSparse(ElementType type, const Shape& shape, const InputRole& role, uint64_t seed) {
  const CounterStream stream(seed);
  const FloatFormat& format = FormatOf(type);
  const int64_t count = SizeOf(shape), stored = StoredBytes(type);
  InputData data{type, shape, ZerosInHugePages<std::byte>(static_cast<size_t>(count * stored))};
  // The code of 0 has no bit set, except in a type without 0.
  const std::vector<std::byte> zero = TensorToBytes(Tensor::Zeros(type, {}));
  if (std::ranges::any_of(zero, [](std::byte b) { return b != std::byte{0}; })) {
    for (int64_t i = 0; i < count; ++i) std::ranges::copy(zero, data.bytes.data() + i * stored);
  }
  const RealNumbers reals(role, InputKind::kDomain, format, stream, count);
  for (const int64_t place : NonzeroPlaces(*role.sums, CounterStream(~seed))) {
    const auto i = static_cast<uint64_t>(place);
    const bool complex = KindOf(type) == ElementKind::kComplex;
    const Complex value = complex ? Complex(RoundTo(format, reals.At(2 * i)), RoundTo(format, reals.At(2 * i + 1)))
                                  : Complex(RoundTo(format, reals.At(i)));
    // A complex number begins with its real part.
    EncodeElements(type, &value, 1, data.bytes.data() + place * stored);
  }
  return data;
}

// Converts the numbers to a type that has all of them.
InputData Converted(ElementType type, const InputData& data) {
  return {type, data.shape, TensorToBytes(TensorFromBytes(data.type, data.shape, data.bytes)->Retyped(type))};
}

bool HasIdentity(const ElementTypeInfo& info, Combine combine) {
  // A float type without a sign has no zero either.
  return info.format == nullptr || info.format->has_sign || combine == Combine::kMultiply ||
         combine == Combine::kMinimum;
}

// Returns the identity of the function: combined with it, every value is unchanged. If a type has no infinity, the
// greatest number takes its place.
InputData MakeIdentity(ElementType type, const Shape& shape, Combine combine) {
  const ElementTypeInfo& info = Info(type);
  Tensor t = Tensor::Zeros(type, shape);
  const bool most = combine == Combine::kMinimum || combine == Combine::kAnd;
  const bool extreme = most || combine == Combine::kMaximum;
  const auto fill = [&]<typename T>(T value) { std::ranges::fill(t.Mutable<T>(), value); };
  switch (info.kind) {
    case ElementKind::kBool:
      fill(static_cast<uint8_t>(most || combine == Combine::kMultiply));
      break;
    case ElementKind::kInteger:
      if (combine == Combine::kMultiply) fill(int64_t{1});
      if (combine == Combine::kAnd) fill(WrapInteger(info, ~uint64_t{0}));
      if (combine == Combine::kMinimum || (combine == Combine::kMaximum && info.is_signed)) {
        const uint64_t top = uint64_t{1} << (info.width - 1);
        fill(WrapInteger(info, combine == Combine::kMaximum ? top : info.is_signed ? top - 1 : ~uint64_t{0}));
      }
      break;
    case ElementKind::kFloat: {
      const bool infinite = info.format->overflow == Overflow::kInfinity;
      const double end = infinite ? std::numeric_limits<double>::infinity() : info.format->max_finite;
      if (extreme) fill(most ? end : -end);
      if (combine == Combine::kMultiply) fill(1.0);
      break;
    }
    case ElementKind::kComplex:
      if (combine == Combine::kMultiply) fill(Complex(1));
      break;
  }
  return {type, shape, TensorToBytes(t)};
}

// Whether one op computes all results from the arguments.
bool IsOneOp(mlir::Block& block) {
  return llvm::count_if(block.without_terminator(),
                        [](mlir::Operation& op) { return op.getName().getStringRef() != "stablehlo.constant"; }) == 1;
}

// Whether `edge` puts special values into the lines of the argument.
bool HasSpecialLines(const InputRole& role, ElementType type) {
  if (!role.lines || role.elements_per_result <= 1 || Info(type).kind != ElementKind::kFloat) return false;
  return role.lines->use != LineUse::kSort && role.lines->use != LineUse::kPayload;
}

bool HasSortedLines(const InputRole& role) {
  const bool free = !role.ranged && !role.index && !role.whole && role.elements.empty() && role.grid == 0 &&
                    std::isinf(role.least) && std::isinf(role.most) && !role.nonzero;
  return role.lines && free && (role.lines->use == LineUse::kSort || role.lines->use == LineUse::kPayload);
}

// Whether each element depends on its number alone, so that some can be drawn without the others.
bool IsDrawnByElement(ElementType type, const InputRole& role, InputKind kind) {
  const ElementTypeInfo& info = Info(type);
  const bool identity = role.initial && HasIdentity(info, *role.initial);
  const bool sums = info.format != nullptr && kind == InputKind::kEdge && role.elements_per_result > 1;
  return kind != InputKind::kSparse && kind != InputKind::kExactInt && !identity && !role.distinct &&
         role.matrix == Matrix::kNone && !role.index && !sums && !HasSortedLines(role);
}

// Draws such elements, and those of an argument that become other ones afterwards.
ElementDraw ElementsOf(ElementType type, const InputRole& role, InputKind kind, uint64_t seed, int64_t count) {
  struct Source {
    InputRole role;
    CounterStream stream;
  };
  const auto source = std::make_shared<const Source>(Source{role, CounterStream(seed)});
  const ElementTypeInfo& info = Info(type);
  switch (info.kind) {
    case ElementKind::kBool:
      return [source](int64_t first, int64_t some, std::byte* out) {
        StoreBooleans(source->stream, source->role.holds, first, {out, static_cast<size_t>(some)});
      };
    case ElementKind::kInteger:
      return [source, integers = Integers(type, source->role, kind, source->stream, count)](
                 int64_t first, int64_t some, std::byte* out) { integers.Store(first, some, out); };
    case ElementKind::kFloat:
    case ElementKind::kComplex:
      break;
  }
  const int64_t numbers = info.kind == ElementKind::kComplex ? 2 : 1;
  return [source, numbers, reals = RealNumbers(source->role, kind, *info.format, source->stream, numbers * count)](
             int64_t first, int64_t some, std::byte* out) { reals.Store(numbers * first, numbers * some, out); };
}

InputData Draw(ElementType type, const Shape& shape, const InputRole& role, InputKind kind, uint64_t seed) {
  const CounterStream stream(seed);
  const ElementTypeInfo& info = Info(type);
  if (role.initial && HasIdentity(info, *role.initial)) return MakeIdentity(type, shape, *role.initial);
  const int64_t count = SizeOf(shape);
  InputData data{type, shape, {}};
  // Ties are drawn only if their order is defined.
  const bool ties = role.stable && kind != InputKind::kDomain;
  if (role.distinct && !ties && info.kind != ElementKind::kBool) {
    Tensor t = Distinct(type, shape, stream);
    if (kind == InputKind::kEdge && info.kind == ElementKind::kFloat && t.size() >= 2 &&
        info.format->overflow == Overflow::kInfinity) {
      t.Mutable<double>()[stream.Below(0, static_cast<uint64_t>(t.size()))] = std::numeric_limits<double>::infinity();
      RoundSpan(*info.format, t.Mutable<double>());
    }
    data.bytes = TensorToBytes(t);
    return data;
  }
  if (role.matrix != Matrix::kNone && info.format != nullptr) {
    Tensor t = Tensor::Make(type, shape);
    FillMatrix(type, role, shape, stream, t);
    data.bytes = TensorToBytes(t);
    return data;
  }
  data.bytes = ZerosInHugePages<std::byte>(static_cast<size_t>(count * *DtypeBytes(info.name)));
  if (info.kind == ElementKind::kInteger && role.index) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    FillIndices(type, *role.index, kind, stream, values);
    EncodeElements(type, values.data(), count, data.bytes.data());
    return data;
  }
  ElementsOf(type, role, kind, seed, count)(0, count, data.bytes.data());
  if (info.format != nullptr && kind == InputKind::kEdge && role.elements_per_result > 1 &&
      !HasSpecialLines(role, type)) {
    const int64_t numbers = info.kind == ElementKind::kComplex ? 2 * count : count;
    PutSpread(*info.format, role, stream, numbers, data.bytes.data());
  }
  return data;
}

// Generates one argument. `shared` is a seed that is the same for all arguments of a program.
InputData Make(ElementType type, const Shape& shape, const InputRole& role, InputKind kind, uint64_t seed,
               uint64_t shared) {
  const CounterStream stream(Mix(~seed));
  const bool identity = role.initial && HasIdentity(Info(type), *role.initial);
  // If there are few lines, `sparse` tests only their ends. `exact-int` then tests the middle, where small integers
  // would give ties.
  constexpr int64_t kFewLines = 8;
  const std::optional<ElementType> extremes = ExtremesOf(role);
  const bool in_the_middle = kind == InputKind::kExactInt && extremes && !role.lines->slides && !role.lines->running &&
                             role.lines->count() < kFewLines;
  if ((kind == InputKind::kSparse || in_the_middle) && !identity) {
    const std::optional<ElementType> drawn = extremes ? extremes : ExactTermsOf(role);
    if (!drawn) return MakeSparse(type, shape, role, seed);
    InputData data{*drawn, shape, {}};
    data.bytes = ZerosInHugePages<std::byte>(static_cast<size_t>(SizeOf(shape) * *DtypeBytes(Info(*drawn).name)));
    if (extremes) {
      PutExtremeLines(*role.lines, stream, in_the_middle, data);
    } else {
      PutExactLines(*role.lines, stream, data);
    }
    return drawn == type ? data : Converted(type, data);
  }
  InputData data = Draw(type, shape, role, kind, seed);
  // Under every policy, since any of several equal keys may come first.
  if (TakesDistinctKeys(role, type) && HasSortedLines(role)) PutDistinctKeys(*role.lines, stream, data);
  if (kind != InputKind::kEdge || identity) return data;
  if (HasSpecialLines(role, type)) PutSpecialLines(role, *role.lines, stream, data);
  if (HasSortedLines(role)) PutSortedLines(*role.lines, stream, CounterStream(shared), data);
  return data;
}

// True for the policies that draw the arguments of an elementwise function together.
bool Combines(InputKind kind) { return kind == InputKind::kEdge || kind == InputKind::kSweep; }

bool Joins(const std::optional<ElementwiseProgram>& program, unsigned argument) {
  return program && llvm::is_contained(program->arguments, argument);
}

// The kind by which an argument is drawn by itself under a policy: kDomain if the policy has nothing special for it.
InputKind OwnKind(const InputRole& role, ElementType type, InputKind kind, bool joins) {
  // A predicate has two values, and a shape is valid under every policy.
  if (!role.elements.empty() || Info(type).kind == ElementKind::kBool) return InputKind::kDomain;
  const bool real = Info(type).format != nullptr;
  if (kind == InputKind::kSparse) {
    const bool sums = role.sums && role.TakesZero() && real;
    return sums || ExtremesOf(role) ? kind : InputKind::kDomain;
  }
  return kind == InputKind::kSweep || (Combines(kind) && joins) ? InputKind::kDomain : kind;
}

}  // namespace

uint64_t SeedOf(std::string_view case_id, uint64_t seed) { return Mix(Fnv1a(case_id) ^ Mix(seed)); }

Expected<std::vector<InputData>> MakeInputs(mlir::ModuleOp module, InputKind kind, uint64_t seed, LargeInputs large) {
  if (kind == InputKind::kCaptured) {
    return MakeError(ExitCode::kUnsupported, "unsupported: captured inputs; the model was not run to capture them");
  }
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  auto main = llvm::cast<mlir::FunctionOpInterface>(*entry);
  std::vector<InputData> inputs;
  const std::optional<ElementwiseProgram> program = Combines(kind) ? ElementwiseProgramOf(*entry) : std::nullopt;
  std::vector<InputRole> roles;
  const bool alone = IsOneOp(main.getFunctionBody().front());
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    mlir::Value argument = main.getArgument(i);
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType());
    const auto element = type ? ElementTypeOf(type) : std::nullopt;
    if (!element || !type.hasStaticShape()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      argument.getType().print(stream);
      const bool open = type && !type.hasStaticShape();
      return MakeError(
          ExitCode::kUnsupported,
          fmt::format("unsupported: argument {} of type {}{}", i, text,
                      open ? fmt::format("; a program for one shape is made by --shape {}=SHAPE", i) : ""));
    }
    roles.push_back(RoleOfArgument(argument));
    roles.back().alone = alone;
    const InputRole& role = roles.back();
    Shape shape(type.getShape().begin(), type.getShape().end());
    const InputKind own = OwnKind(role, *element, kind, Joins(program, i));
    const int64_t count = SizeOf(shape);
    if (large == LargeInputs::kByBlocks && count >= protocol::kWorthStored && !Joins(program, i) &&
        IsDrawnByElement(*element, role, own)) {
      inputs.push_back({*element, std::move(shape), {}, ElementsOf(*element, role, own, Mix(seed + i), count)});
      continue;
    }
    inputs.push_back(Make(*element, shape, role, own, Mix(seed + i), Mix(~seed)));
  }
  if (!program) return inputs;
  std::vector<JointArgument> joint;
  for (const unsigned i : program->arguments) {
    if (!Joins(program, i)) continue;
    const int64_t together = program->elements > 0 ? SizeOf(inputs[i].shape) / program->elements : 1;
    joint.push_back({&roles[i], &inputs[i], std::max<int64_t>(together, 1), program->orders_nan});
  }
  CombineElements(kind, program->function, seed, joint);
  return inputs;
}

bool DrawsSameInputs(mlir::ModuleOp module, InputKind kind, InputKind other) {
  if (kind == other) return true;
  if (kind == InputKind::kCaptured || other == InputKind::kCaptured) return false;
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return false;
  const std::optional<ElementwiseProgram> program = ElementwiseProgramOf(*entry);
  auto main = llvm::cast<mlir::FunctionOpInterface>(*entry);
  return llvm::all_of(llvm::seq<unsigned>(0, main.getNumArguments()), [&](unsigned i) {
    const auto element = ElementTypeOf(main.getArgument(i).getType());
    if (!element) return false;
    const InputRole role = RoleOfArgument(main.getArgument(i));
    const auto drawn = [&](InputKind k) {
      const bool joins = Joins(program, i);
      return Combines(k) && joins ? k : OwnKind(role, *element, k, joins);
    };
    return drawn(kind) == drawn(other);
  });
}

}  // namespace opbyop::reference
