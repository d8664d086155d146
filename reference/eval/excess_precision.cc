// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/excess_precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/narrow_ulp.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// True for ops that compute their results and round them. Movement and control flow give numbers that others rounded.
bool Rounds(llvm::StringRef name) {
  constexpr std::array kSums = {"stablehlo.convolution",  "stablehlo.dot",    "stablehlo.dot_general",
                                "stablehlo.dynamic_conv", "stablehlo.einsum", "stablehlo.reduce",
                                "stablehlo.reduce_window"};
  return IsElementwise(name) || llvm::is_contained(kSums, name);
}

const FloatFormat* FormatOfValue(mlir::Value value) {
  const std::optional<ElementType> type = ElementTypeOf(value.getType());
  return type && KindOf(*type) == ElementKind::kFloat ? Info(*type).format : nullptr;
}

// Where the operands of a result of this size are finite: for an operand of another size, all of its numbers count.
class FiniteOperands {
 public:
  FiniteOperands(const Values& operands, int64_t size) {
    for (const Value& operand : operands) {
      if (!operand.is_tensor() || operand.tensor().kind() != ElementKind::kFloat) continue;
      const std::span<const double> numbers = operand.tensor().data<double>();
      if (numbers.data() == nullptr) continue;  // the op has taken its memory
      if (operand.tensor().size() == size) {
        each_.push_back(numbers);
      } else {
        others_ = others_ && std::ranges::all_of(numbers, [](double v) { return IsFinite(v); });
      }
    }
  }
  bool At(size_t element) const {
    return others_ && std::ranges::all_of(each_, [&](auto numbers) { return IsFinite(numbers[element]); });
  }

 private:
  std::vector<std::span<const double>> each_;
  bool others_ = true;
};

}  // namespace

bool HasExcess(mlir::Value result) {
  mlir::Operation* op = result.getDefiningOp();
  const llvm::StringRef name = op->getName().getStringRef();
  const FloatFormat* format = FormatOfValue(result);
  if (format == nullptr || !Rounds(name) || name == "stablehlo.reduce_precision") return false;
  bool narrow = format->precision < FormatOf(ElementType::kF32).precision;
  if (name == "stablehlo.convert") {
    const FloatFormat* from = FormatOfValue(op->getOperand(0));
    narrow = from == nullptr ? narrow : format->precision < from->precision;
  }
  return narrow && llvm::any_of(result.getUsers(),
                                [](mlir::Operation* user) { return !user->hasTrait<mlir::OpTrait::IsTerminator>(); });
}

Value WithExcess(const OpContext& context, Value value) {
  if (!value.is_tensor() || !context.bounds()) return value;
  Tensor& t = value.tensor();
  const FloatFormat& format = FormatOf(t.type());
  auto bound = CopyOfBound(t, "unrounded or not");
  const std::span<double> errors = MutableSpan(*bound);
  // The unrounded value is itself a number of a wider type, which has at least three digits more.
  constexpr double kHalf = 0.5 * (1 + 0x1p-3);
  const NarrowUlp ulp(format);  // no number of f64 has excess
  std::optional<FiniteOperands> operands;
  for (size_t i = 0; i < errors.size(); ++i) {
    const double v = std::as_const(t).data<double>()[i];
    const bool greatest = !std::isfinite(v) || (format.bits <= 8 && std::fabs(v) == format.max_finite);
    if (!greatest) {
      errors[i] = std::max(errors[i], kHalf * ulp(v));
      continue;
    }
    // A number beyond the greatest of the type may still be a number of the wider one.
    if (!operands) operands.emplace(context.operands, t.size());
    if (operands->At(i)) errors[i] = kInf;
  }
  bound->zero_sign_free = true;  // of a number that is rounded to zero
  t.set_bound(std::move(bound));
  return value;
}

}  // namespace opbyop::reference
