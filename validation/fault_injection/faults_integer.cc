// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Faults of integer arithmetic: overflow, division, shifts, signedness.
#include <algorithm>
#include <cmath>

#include "reference/bounds/elementwise.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::ElementKind;
using reference::ElementType;
using reference::ElementTypeInfo;
using reference::Info;
using reference::Tensor;
using reference::Values;

// a op b in 128 bits, finished by `finish`.
template <typename Finish>
OpFault Integers(Finish finish) {
  return [finish](FaultyOp& faulty) -> Expected<Values> {
    if (faulty.in(0).kind() != ElementKind::kInteger || faulty.in(0).size() != faulty.in(1).size())
      return faulty.Right();
    const ElementTypeInfo& info = Info(faulty.in(0).type());
    Expected<Values> right = faulty.Right();
    if (!right) return right;
    Tensor out = (*right)[0].tensor();
    const auto a = faulty.in(0).data<int64_t>();
    const auto b = faulty.in(1).data<int64_t>();
    const Tensor answers = out;
    for (size_t i = 0; i < a.size(); ++i) {
      out.Mutable<int64_t>()[i] = reference::WrapInteger(
          info, static_cast<uint64_t>(finish(a[i], b[i], answers.data<int64_t>()[i], info, faulty.op())));
    }
    return Values{std::move(out)};
  };
}

__int128 Wide(int64_t v, const ElementTypeInfo& info) {
  return info.is_signed ? static_cast<__int128>(v) : static_cast<__int128>(static_cast<uint64_t>(v));
}

int64_t Saturated(int64_t a, int64_t b, int64_t, const ElementTypeInfo& info, mlir::Operation* op) {
  const __int128 x = Wide(a, info);
  const __int128 y = Wide(b, info);
  const llvm::StringRef name = op->getName().getStringRef();
  const __int128 exact = name == "stablehlo.add" ? x + y : name == "stablehlo.subtract" ? x - y : x * y;
  const __int128 most = info.is_signed ? (static_cast<__int128>(1) << (info.width - 1)) - 1
                                       : (static_cast<__int128>(1) << info.width) - 1;
  const __int128 least = info.is_signed ? -most - 1 : 0;
  return static_cast<int64_t>(exact > most ? most : exact < least ? least : exact);
}

int64_t ThroughF32(int64_t a, int64_t b, int64_t right, const ElementTypeInfo& info, mlir::Operation* op) {
  const auto x = static_cast<float>(Wide(a, info));
  const auto y = static_cast<float>(Wide(b, info));
  const llvm::StringRef name = op->getName().getStringRef();
  const double v = name == "stablehlo.add" ? x + y : name == "stablehlo.subtract" ? x - y : x * y;
  if (std::fabs(v) >= std::ldexp(1.0, info.is_signed ? info.width - 1 : info.width)) return right;
  return static_cast<int64_t>(v);
}

int64_t Floored(int64_t a, int64_t b, int64_t right, const ElementTypeInfo& info, mlir::Operation*) {
  if (b == 0 || !info.is_signed || (b == -1 && right == a)) return right;
  return a % b != 0 && (a < 0) != (b < 0) ? right - 1 : right;
}

int64_t RoundedQuotient(int64_t a, int64_t b, int64_t right, const ElementTypeInfo& info, mlir::Operation*) {
  if (b == 0 || !info.is_signed || b == -1) return right;
  return std::llround(static_cast<double>(a) / static_cast<double>(b));
}

int64_t DivisorsSign(int64_t a, int64_t b, int64_t right, const ElementTypeInfo& info, mlir::Operation*) {
  return info.is_signed && right != 0 && b != 0 && (right < 0) != (b < 0) ? right + b : right;
}

int64_t AsSigned(int64_t a, int64_t b, int64_t right, const ElementTypeInfo& info, mlir::Operation* op) {
  if (info.is_signed) return right;
  const int drop = 64 - info.width;
  const int64_t x = static_cast<int64_t>(static_cast<uint64_t>(a) << drop) >> drop;
  const int64_t y = static_cast<int64_t>(static_cast<uint64_t>(b) << drop) >> drop;
  if (y == 0 || y == -1) return right;
  const llvm::StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.divide") return x / y;
  if (name == "stablehlo.maximum") return std::max(x, y);
  return name == "stablehlo.minimum" ? std::min(x, y) : right;
}

// Takes shift amounts modulo the width, as x86 does, and as C's undefined behaviour may.
int64_t MaskedShift(int64_t a, int64_t b, int64_t, const ElementTypeInfo& info, mlir::Operation* op) {
  const int by = static_cast<int>(static_cast<uint64_t>(b) % static_cast<uint64_t>(info.width));
  const llvm::StringRef name = op->getName().getStringRef();
  const uint64_t bits = static_cast<uint64_t>(a) & (~uint64_t{0} >> (64 - info.width));
  if (name == "stablehlo.shift_left") return static_cast<int64_t>(bits << by);
  if (name == "stablehlo.shift_right_logical") return static_cast<int64_t>(bits >> by);
  return static_cast<int64_t>(bits << (64 - info.width)) >> (64 - info.width) >> by;
}

int64_t OtherRightShift(int64_t a, int64_t b, int64_t right, const ElementTypeInfo& info, mlir::Operation* op) {
  if (b < 0 || b >= info.width) return right;
  const uint64_t bits = static_cast<uint64_t>(a) & (~uint64_t{0} >> (64 - info.width));
  if (op->getName().getStringRef() == "stablehlo.shift_right_arithmetic") return static_cast<int64_t>(bits >> b);
  return static_cast<int64_t>(bits << (64 - info.width)) >> (64 - info.width) >> b;
}

}  // namespace

void AddIntegerFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  const std::string sums = "stablehlo.add stablehlo.subtract stablehlo.multiply";
  const std::string shifts = "stablehlo.shift_left stablehlo.shift_right_logical stablehlo.shift_right_arithmetic";
  op("integers_saturate", "integer overflow saturates", sums, Integers(&Saturated));
  op("integers_through_f32", "integer arithmetic done in f32", sums, Integers(&ThroughF32));
  op("integer_division_floors", "integer division rounds down", "stablehlo.divide", Integers(&Floored));
  op("integer_division_rounds", "integer division rounds to nearest", "stablehlo.divide", Integers(&RoundedQuotient));
  op("integer_remainder_sign", "integer remainder has the divisor's sign", "stablehlo.remainder",
     Integers(&DivisorsSign));
  op("unsigned_as_signed", "unsigned integers are divided and ordered as signed ones",
     "stablehlo.divide stablehlo.maximum stablehlo.minimum", Integers(&AsSigned));
  op("shift_amount_masked", "shift amounts are taken modulo the width", shifts, Integers(&MaskedShift));
  op("shift_right_kind", "arithmetic and logical right shift exchanged", shifts, Integers(&OtherRightShift));
  op("clz_of_zero", "count_leading_zeros of 0 is 0", "stablehlo.count_leading_zeros",
     [](FaultyOp& faulty) -> Expected<Values> {
       Expected<Values> results = faulty.Right();
       if (!results) return results;
       const Tensor x = faulty.in(0);
       Tensor& t = (*results)[0].tensor();
       for (size_t i = 0; i < x.data<int64_t>().size(); ++i) {
         if (x.data<int64_t>()[i] == 0) t.Mutable<int64_t>()[i] = 0;
       }
       return results;
     });
  op("popcnt_of_low_byte", "popcnt counts the low 8 bits", "stablehlo.popcnt", [](FaultyOp& faulty) {
    EachInteger(faulty.in(0), [](int64_t v) { return v & 0xFF; });
    return faulty.Right();
  });
  op("abs_of_least", "abs of the least integer saturates", "stablehlo.abs", [](FaultyOp& faulty) {
    const ElementType type = faulty.in(0).type();
    Expected<Values> results = faulty.Right();
    if (results && reference::KindOf(type) == ElementKind::kInteger && Info(type).is_signed) {
      EachInteger((*results)[0].tensor(),
                  [&](int64_t v) { return v == reference::MinInteger(type) ? reference::MaxInteger(type) : v; });
    }
    return results;
  });
  op("unsigned_converted_as_signed", "unsigned integers are converted as signed ones", "stablehlo.convert",
     [](FaultyOp& faulty) -> Expected<Values> {
       const ElementTypeInfo& info = Info(faulty.in(0).type());
       Expected<Values> results = faulty.Right();
       if (!results || info.kind != ElementKind::kInteger || info.is_signed) return results;
       Tensor& t = (*results)[0].tensor();
       if (t.kind() != ElementKind::kFloat) return results;
       for (size_t i = 0; i < t.data<double>().size(); ++i) {
         const int drop = 64 - info.width;
         t.Mutable<double>()[i] = static_cast<double>(
             static_cast<int64_t>(static_cast<uint64_t>(faulty.in(0).data<int64_t>()[i]) << drop) >> drop);
       }
       reference::RoundResult(t);
       return results;
     });
  op("bool_converted_as_minus_one", "true is converted to -1", "stablehlo.convert", [](FaultyOp& faulty) {
    const bool of_bool = faulty.in(0).kind() == ElementKind::kBool;
    Expected<Values> results = faulty.Right();
    if (results && of_bool) EachIndexed((*results)[0].tensor(), [](double v, int64_t) { return -v; });
    return results;
  });
  op("i64_as_i32", "integers of 64 bits are read as their low 32", "stablehlo.compare stablehlo.convert",
     [](FaultyOp& faulty) {
       for (size_t i = 0; i < faulty.size(); ++i) {
         if (faulty.in(i).type() != ElementType::kI64) continue;
         EachInteger(faulty.in(i), [](int64_t v) -> int64_t { return static_cast<int32_t>(v); });
       }
       return faulty.Right();
     });
  op("integer_sum_saturates", "sums of narrow integers saturate", "stablehlo.reduce",
     [](FaultyOp& faulty) -> Expected<Values> {
       Expected<Values> results = faulty.Right();
       const auto declared = faulty.context().ResultType();
       if (!results || !declared || reference::KindOf(*declared) != ElementKind::kInteger || faulty.size() != 2)
         return results;
       // The same op on the operands as i64 shows which sums have wrapped.
       const Tensor narrow = (*results)[0].tensor();
       for (size_t i = 0; i < 2; ++i) {
         faulty.in(i) = faulty.in(i).Retyped(ElementType::kI64);
       }
       Expected<Values> exact = faulty.Right();
       if (!exact) return results;
       Tensor t = narrow;
       for (size_t i = 0; i < t.data<int64_t>().size(); ++i) {
         const int64_t v = (*exact)[0].tensor().data<int64_t>()[i];
         t.Mutable<int64_t>()[i] = std::clamp(v, reference::MinInteger(*declared), reference::MaxInteger(*declared));
       }
       return Values{std::move(t)};
     });
}

}  // namespace opbyop::fault_injection
