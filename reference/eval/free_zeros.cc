// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/free_zeros.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

bool HasFreeZeros(const Value& value) {
  if (!value.is_tensor() || value.tensor().kind() != ElementKind::kFloat || !value.tensor().bound()) return false;
  const Bound& bound = *value.tensor().bound();
  return bound.zero_sign_free && !(bound.open_zeros && bound.open_zeros->empty());
}

// Whether the sign of a zero in this operand decides more than the sign of a zero in the result.
bool SignDecides(const OpContext& context, size_t operand) {
  const std::string_view name = context.name;
  if (name == "stablehlo.divide") return operand == 1;
  if (name == "stablehlo.compare") return ComparesInTotalOrder(context.op);
  return name == "stablehlo.rsqrt" || name == "stablehlo.atan2" || name == "stablehlo.power" ||
         name == "stablehlo.bitcast_convert";
}

}  // namespace

FreeZeros::FreeZeros(const OpContext& context) {
  if (!context.bounds()) return;
  const bool bits = context.name == "stablehlo.bitcast_convert";
  for (size_t i = 0; i < context.size(); ++i) {
    if (!HasFreeZeros(context.operands[i]) || !(bits || IsElementwise(context.name))) continue;
    any_ = true;
    if (!SignDecides(context, i)) continue;
    const Tensor& operand = context.in(i);
    for (int64_t k = 0; k < operand.size(); ++k) {
      if (ValueAt<double>(operand, k) != 0 || !operand.bound()->IsZeroSignFree(k)) continue;
      decided_.push_back(operand.size() == 1 ? -1 : k);
    }
  }
}

void FreeZeros::Carry(Values& results) const {
  if (!any_) return;
  for (Value& result : results) {
    if (!result.is_tensor()) continue;
    Tensor& t = result.tensor();
    const bool has_zeros = t.kind() == ElementKind::kFloat || t.kind() == ElementKind::kComplex;
    std::shared_ptr<Bound> bound;
    if (!decided_.empty()) {
      bound = CopyOfBound(t, "any value where the sign of a zero decides");
      const std::span<double> errors = MutableSpan(*bound);
      for (const int64_t at : decided_) {
        if (at < 0 || errors.size() == 1) {
          std::ranges::fill(errors, kInf);
        } else if (static_cast<size_t>(at) < errors.size()) {
          errors[static_cast<size_t>(at)] = kInf;
        }
      }
    } else if (has_zeros && !(t.bound() && t.bound()->zero_sign_free)) {
      bound = t.bound() ? std::make_shared<Bound>(*t.bound()) : std::make_shared<Bound>(Bound{.rule = "exact"});
    }
    if (!bound) continue;
    bound->zero_sign_free = true;
    t.set_bound(std::move(bound));
  }
}

}  // namespace opbyop::reference
