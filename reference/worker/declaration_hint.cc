// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/declaration_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace opbyop::reference {
namespace {

struct FlushingHint {
  FlushedParts parts;
  std::string_view what, key;
};
constexpr FlushingHint kFlushing[] = {
    {{.operands = true, .results = true}, "subnormal numbers are taken for zero", "true"},
    {{.operands = true, .results = true, .signs = true},
     "subnormal numbers are taken for zero, and so are those whose sign is changed",
     "[operands, results, signs]"},
};

// Whether the policy puts subnormal numbers into the inputs.
bool HasSubnormals(InputKind kind) { return kind == InputKind::kEdge || kind == InputKind::kSweep; }

bool IsNarrow(const Value& value) {
  const FloatFormat* format = value.is_tensor() ? Info(value.tensor().type()).format : nullptr;
  return format != nullptr && format->precision < FormatOf(ElementType::kF32).precision;
}

}  // namespace

std::string DeclarationHint(const Arithmetic& declared, InputKind kind, const Values& results, bool has_intermediates,
                            const std::function<bool(const Arithmetic&)>& explains) {
  for (const FlushingHint& hint : kFlushing) {
    Arithmetic supposed = declared;
    supposed.flushes = hint.parts;
    if (!HasSubnormals(kind) || supposed == declared || !explains(supposed)) continue;
    return fmt::format("; right if {}, which `flushes_subnormals: {}` of the target's file declares", hint.what,
                       hint.key);
  }
  Arithmetic supposed = declared;
  supposed.excess_precision = true;
  if (has_intermediates && supposed != declared && explains(supposed)) {
    return "; right if intermediate results stay unrounded, which `excess_precision: true` of the target's file "
           "declares";
  }
  supposed = declared;
  supposed.stores_toward_zero = true;
  if (supposed == declared || !std::ranges::any_of(results, IsNarrow) || !explains(supposed)) return "";
  return "; right if results are rounded toward zero, which `stores: toward_zero` of the target's file declares";
}

}  // namespace opbyop::reference
