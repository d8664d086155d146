// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Logical ops and shifts on integers and booleans.
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"

namespace opbyop::reference {
namespace {

template <auto kBits>
Expected<Values> Bitwise(OpContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& y = context.in(1);
  Tensor out = Tensor::Make(x.type(), WidestShape({&x, &y}));
  const ElementTypeInfo& info = Info(x.type());
  if (info.kind == ElementKind::kBool) {
    MapBinary<uint8_t, uint8_t>(x, y, out, [&](uint8_t a, uint8_t b) -> uint8_t { return kBits(a, b, info) & 1; });
  } else if (info.kind == ElementKind::kInteger) {
    MapBinary<int64_t, int64_t>(x, y, out, [&](int64_t a, int64_t b) {
      return WrapInteger(info, kBits(static_cast<uint64_t>(a), static_cast<uint64_t>(b), info));
    });
  } else {
    return context.Unsupported(std::string(context.name) + " of " + std::string(info.name));
  }
  if (context.bounds() && (HasErrors(x) || HasErrors(y))) {
    Propagated propagated = CarriedErrors(out, {&x, &y});
    if (info.kind == ElementKind::kBool) {
      // The result is decided if one operand alone decides it: a false in an `and`, a true in an `or`.
      const auto of = [&](bool is, bool may) { return kBits(is ? 1 : 0, may ? 1 : 0, info) & 1; };
      for (int64_t i = 0; i < out.size(); ++i) {
        const bool a = ValueAt<uint8_t>(x, i) != 0;
        const bool b = ValueAt<uint8_t>(y, i) != 0;
        const uint64_t is = of(a, b);
        const bool ea = ErrorAt(x, i) > 0;
        const bool eb = ErrorAt(y, i) > 0;
        const bool open = (ea && of(!a, b) != is) || (eb && of(a, !b) != is) || (ea && eb && of(!a, !b) != is);
        propagated.errors[static_cast<size_t>(i)] = open ? 1 : 0;
      }
    }
    SetElementwiseBound(context.name, out, std::move(propagated));
  }
  return Values{std::move(out)};
}

uint64_t Low(uint64_t v, const ElementTypeInfo& info) { return v & (~uint64_t{0} >> (64 - info.width)); }

// A shift by the width or more (negative amounts included) gives zero or the sign.
bool TooFar(uint64_t amount, const ElementTypeInfo& info) {
  return Low(amount, info) >= static_cast<uint64_t>(info.width);
}

}  // namespace

// GCC takes a bare > in these functions for the end of the template argument.
void AddBitwise(EvalTableType& table) {
  table["stablehlo.and"] = &Bitwise<[](uint64_t a, uint64_t b, const ElementTypeInfo&) { return a & b; }>;
  table["stablehlo.or"] = &Bitwise<[](uint64_t a, uint64_t b, const ElementTypeInfo&) { return a | b; }>;
  table["stablehlo.xor"] = &Bitwise<[](uint64_t a, uint64_t b, const ElementTypeInfo&) { return a ^ b; }>;
  table["stablehlo.shift_left"] = &Bitwise<[](uint64_t a, uint64_t b, const ElementTypeInfo& info) {
    return TooFar(b, info) ? 0 : a << Low(b, info);
  }>;
  table["stablehlo.shift_right_logical"] = &Bitwise<[](uint64_t a, uint64_t b, const ElementTypeInfo& info) {
    return TooFar(b, info) ? 0 : (Low(a, info) >> Low(b, info));
  }>;
  table["stablehlo.shift_right_arithmetic"] = &Bitwise<[](uint64_t a, uint64_t b, const ElementTypeInfo& info) {
    // The sign bit is the highest bit of the type's own width, for unsigned types too.
    const int drop = 64 - info.width;
    const int64_t extended = (static_cast<int64_t>(a << drop) >> drop);
    return static_cast<uint64_t>(extended >> (TooFar(b, info) ? 63 : static_cast<int>(Low(b, info))));
  }>;
}

}  // namespace opbyop::reference
