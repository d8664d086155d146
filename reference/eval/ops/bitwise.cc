// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Logical ops and shifts on integers and booleans.
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
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
  const auto apply = [&](int64_t a, int64_t b) {
    const uint64_t bits = kBits(static_cast<uint64_t>(a), static_cast<uint64_t>(b), info);
    return info.kind == ElementKind::kBool ? static_cast<int64_t>(bits & 1) : WrapInteger(info, bits);
  };
  const auto evaluate = [&]<typename T>(double most) {
    MapBinary<T, T>(x, y, out, [&](T a, T b) { return static_cast<T>(apply(a, b)); });
    if (!context.bounds() || (!HasErrors(x) && !HasErrors(y))) return;
    SetElementwiseBound(context.name, out, IntegerErrors<T>(x, y, out, apply, [&](int64_t) { return most; }));
  };
  if (info.kind == ElementKind::kBool) {
    evaluate.template operator()<uint8_t>(1);
  } else if (info.kind == ElementKind::kInteger) {
    evaluate.template operator()<int64_t>(kInf);
  } else {
    return context.Unsupported(std::string(context.name) + " of " + std::string(info.name));
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
