// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/plain_tensor.h"

#include <fmt/format.h>

#include <optional>

#include "mlir/IR/BuiltinTypes.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

Expected<PlainTensor> PlainTensorOf(mlir::Type value, std::string_view what) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value);
  const std::optional<ElementType> element = type ? ElementTypeOf(type) : std::nullopt;
  if (!element) {
    return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: {} that is no plain tensor", what));
  }
  return PlainTensor{*element, Shape(type.getShape().begin(), type.getShape().end())};
}

}  // namespace opbyop::reference
