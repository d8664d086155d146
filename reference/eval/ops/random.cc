// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// rng_bit_generator with Threefry-2x32 and Philox-4x32 (Salmon et al., SC 2011), in the variants that XLA's results
// show. Also rng, for which the specification defines only the distribution.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/shape_check.h"

namespace opbyop::reference {
namespace {

using Pair = std::array<uint32_t, 2>;
using Quad = std::array<uint32_t, 4>;

uint32_t Rotate(uint32_t v, int by) { return (v << by) | (v >> (32 - by)); }

Pair Threefry(Pair key, Pair counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  uint32_t x = counter[0] + keys[0];
  uint32_t y = counter[1] + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int by : kRotations[group % 2]) {
      x += y;
      y = Rotate(y, by) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

Quad Philox(Pair key, Quad c) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

Pair Split(uint64_t v) { return {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)}; }

int BitsOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  return info.format != nullptr ? info.format->bits : info.width;
}

// Gives the result infinite bounds: any value is right, and a comparison only checks that the output exists.
void LeaveOpen(Tensor& result, std::string why) {
  auto bound = MakeBound(result.size(), std::move(why), 1);
  bound->random = true;
  std::ranges::fill(MutableSpan(*bound), std::numeric_limits<double>::infinity());
  result.set_bound(std::move(bound));
}

Expected<Values> RngBitGenerator(OpContext& context) {
  const Tensor& state = context.in(0);
  const Expected<ElementType> type = context.ResultType(1);
  const Expected<Shape> shape = context.ResultShape(1);
  if (!type) return Unexpected(type.error());
  if (!shape) return Unexpected(shape.error());
  if (state.kind() != ElementKind::kInteger || Info(state.type()).width != 64 || state.size() < 2) {
    return context.Unsupported("rng_bit_generator with a state other than 64-bit words");
  }
  if (KindOf(*type) != ElementKind::kInteger) return context.Unsupported("rng_bit_generator of this type");
  auto algorithm = context.op->getAttrOfType<stablehlo::RngAlgorithmAttr>("rng_algorithm").getValue();
  std::vector<uint64_t> words;
  for (const int64_t v : state.data<int64_t>()) words.push_back(static_cast<uint64_t>(v));
  const int bits = BitsOf(*type);
  const int64_t count = SizeOf(*shape);
  Tensor out = Tensor::Make(*type, *shape);
  const auto to = out.Mutable<int64_t>();
  const ElementTypeInfo& info = Info(*type);
  const Pair key = Split(words[0]);
  const bool is_default = algorithm == stablehlo::RngAlgorithm::DEFAULT;
  if (is_default) {
    algorithm = words.size() == 2 ? stablehlo::RngAlgorithm::THREE_FRY : stablehlo::RngAlgorithm::PHILOX;
  }
  if (algorithm == stablehlo::RngAlgorithm::THREE_FRY) {
    if (words.size() != 2) return context.Fail(ExitCode::kBadInput, "Threefry takes a state of two words");
    // A 64-bit output takes a whole block. A narrower one takes a word, so that two neighbours share a block.
    const uint64_t start = words[1];
    if (bits == 64) {
      for (int64_t i = 0; i < count; ++i) {
        const Pair block = Threefry(key, Split(start + static_cast<uint64_t>(i)));
        to[static_cast<size_t>(i)] = static_cast<int64_t>(uint64_t{block[0]} | (uint64_t{block[1]} << 32));
      }
      words[1] = start + static_cast<uint64_t>(count);
    } else {
      // Neighbours are taken along the first even dimension, or along the greatest one if none is even.
      int64_t split = -1;
      for (size_t d = 0; d < shape->size() && split < 0; ++d) {
        if ((*shape)[d] % 2 == 0) split = static_cast<int64_t>(d);
      }
      if (split < 0) {
        split = 0;
        for (size_t d = 0; d < shape->size(); ++d) {
          if ((*shape)[d] > (*shape)[static_cast<size_t>(split)]) split = static_cast<int64_t>(d);
        }
      }
      Shape half = *shape;
      int64_t extent = 1;
      if (!half.empty()) {
        extent = (*shape)[static_cast<size_t>(split)];
        half[static_cast<size_t>(split)] = (extent + 1) / 2;
      }
      const int64_t blocks = SizeOf(half);
      const int64_t inner = half.empty() ? 1 : StridesOf(half)[static_cast<size_t>(split)];
      const int64_t rows = (extent + 1) / 2;
      for (int64_t i = 0; i < blocks; ++i) {
        const Pair block = Threefry(key, Split(start + static_cast<uint64_t>(i)));
        const int64_t low = i % inner;
        const int64_t row = i / inner % rows;
        const int64_t high = i / (inner * rows);
        for (int64_t part = 0; part < 2; ++part) {
          const int64_t at = 2 * row + part;
          if (at >= extent) continue;
          to[static_cast<size_t>((high * extent + at) * inner + low)] =
              WrapInteger(info, block[static_cast<size_t>(part)]);
        }
      }
      words[1] = start + static_cast<uint64_t>(blocks);
    }
  } else {
    // The counter has 128 bits: the second and third word of the state. If the state has two words, the key is used as
    // the third.
    uint64_t low = words[1];
    uint64_t high = words.size() > 2 ? words[2] : words[0];
    const int64_t per_block = bits == 64 ? 2 : 4;
    const int64_t blocks = (count + per_block - 1) / per_block;
    for (int64_t b = 0; b < blocks; ++b) {
      const Pair l = Split(low);
      const Pair h = Split(high);
      const Quad words4 = Philox(key, {l[0], l[1], h[0], h[1]});
      for (int64_t p = 0; p < per_block && b * per_block + p < count; ++p) {
        const auto w = static_cast<size_t>(p);
        const uint64_t v = bits == 64 ? uint64_t{words4[2 * w]} | (uint64_t{words4[2 * w + 1]} << 32) : words4[w];
        to[static_cast<size_t>(b * per_block + p)] = WrapInteger(info, v);
      }
      if (++low == 0) ++high;
    }
    words[1] = low;
    if (words.size() > 2) words[2] = high;
  }
  Tensor next = Tensor::Make(state.type(), state.shape());
  for (size_t i = 0; i < words.size(); ++i) next.Mutable<int64_t>()[i] = static_cast<int64_t>(words[i]);
  if (is_default && context.bounds()) {
    for (Tensor* result : {&next, &out}) LeaveOpen(*result, "any bits: the algorithm is the implementation's");
  }
  return Values{std::move(next), std::move(out)};
}

// Returns 64 random bits for element i of the n-th draw of a program.
uint64_t Draw(uint64_t seed, uint64_t n, int64_t i) {
  const Pair low = Split(static_cast<uint64_t>(i));
  const Pair high = Split(n);
  const Quad bits = Philox(Split(seed), {low[0], low[1], high[0], high[1]});
  return uint64_t{bits[0]} | (uint64_t{bits[1]} << 32);
}

// Returns a number in [0, 1) that is a multiple of 2^-53.
double Unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Draws uniformly over [a, b), or normally with mean a and deviation b. Any number of the interval is right, and for a
// normal distribution any number at all. The bound allows this, so a comparison only checks the range.
Expected<Values> Rng(OpContext& context) {
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const Tensor& a = context.in(0);
  const Tensor& b = context.in(1);
  const bool normal = context.op->getAttrOfType<stablehlo::RngDistributionAttr>("rng_distribution").getValue() ==
                      stablehlo::RngDistribution::NORMAL;
  Expected<Shape> shape = ShapeAt(context, 2);
  if (!shape) return Unexpected(shape.error());
  Tensor out = Tensor::Make(*type, std::move(*shape));
  const uint64_t seed = context.evaluator.options().seed;
  const uint64_t n = context.evaluator.NextDraw();
  auto bound = MakeBound(out.size(), normal ? "any number of a normal distribution" : "any number of the interval", 1);
  bound->zero_sign_free = true;
  bound->random = true;
  const std::span<double> errors = MutableSpan(*bound);
  if (out.kind() == ElementKind::kFloat) {
    const double from = a.data<double>()[0];
    const double to = b.data<double>()[0];
    const FloatFormat& format = FormatOf(*type);
    const auto values = out.Mutable<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t bits = Draw(seed, n, static_cast<int64_t>(i));
      if (normal) {
        // The method of Box and Muller, with a separate draw for the angle.
        const double angle = 2 * std::numbers::pi * Unit(Draw(~seed, n, static_cast<int64_t>(i)));
        values[i] = RoundTo(format, from + to * std::sqrt(-2 * std::log1p(-Unit(bits))) * std::cos(angle));
        errors[i] = std::numeric_limits<double>::infinity();
        continue;
      }
      // The specification says nothing about limits that do not form an interval.
      if (!(from < to) || !std::isfinite(from) || !std::isfinite(to)) {
        values[i] = from;
        errors[i] = std::numeric_limits<double>::infinity();
        continue;
      }
      double v = RoundTo(format, from + (to - from) * Unit(bits));
      if (v >= to) v = RoundTo(format, to - format.Ulp(to));  // rounded up to the open end
      values[i] = std::max(from, v);                          // also if the format lacks v, which is then NaN
      errors[i] = std::max(values[i] - from, to - values[i]);
    }
  } else if (normal) {
    return context.Fail(ExitCode::kBadInput, "a normal distribution of numbers that are not floats");
  } else if (out.kind() == ElementKind::kInteger) {
    const int64_t first = a.data<int64_t>()[0];
    const int64_t last = b.data<int64_t>()[0];
    const auto from = static_cast<uint64_t>(first);
    const uint64_t range = static_cast<uint64_t>(last) - from;
    // The specification says nothing about limits that do not form an interval.
    const bool is_interval = Info(*type).is_signed ? first < last : from < static_cast<uint64_t>(last);
    const auto values = out.Mutable<int64_t>();
    for (size_t i = 0; i < values.size(); ++i) {
      const auto wide = static_cast<unsigned __int128>(Draw(seed, n, static_cast<int64_t>(i))) * range;
      const auto step = static_cast<uint64_t>(wide >> 64);
      values[i] = WrapInteger(Info(*type), from + step);
      errors[i] =
          is_interval ? static_cast<double>(std::max(step, range - step)) : std::numeric_limits<double>::infinity();
    }
  } else {
    // The interval [false, true) has one element, but devices that generate bits give both.
    const auto values = out.Mutable<uint8_t>();
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = Draw(seed, n, static_cast<int64_t>(i)) >> 63;
      errors[i] = 1;
    }
  }
  if (context.bounds()) out.set_bound(std::move(bound));
  return Values{std::move(out)};
}

}  // namespace

void AddRandom(EvalTableType& table) {
  table["stablehlo.rng_bit_generator"] = &RngBitGenerator;
  table["stablehlo.rng"] = &Rng;
}

}  // namespace opbyop::reference
