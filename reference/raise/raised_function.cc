// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/raise/raised_function.h"

#include <fmt/format.h>

#include "reference/raise/raise_scalar.h"

namespace opbyop::reference {

mlir::Value RaisedFunction::Make(mlir::Operation* of, llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
                                 llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  return MakeStablehlo(builder_, of->getLoc(), name, type, operands, attributes);
}

mlir::NamedAttribute RaisedFunction::Integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  return builder_.getNamedAttr(name, builder_.getDenseI64ArrayAttr(values));
}

mlir::NamedAttribute RaisedFunction::Integer(llvm::StringRef name, int64_t value) {
  return builder_.getNamedAttr(name, builder_.getI64IntegerAttr(value));
}

tl::unexpected<Error> CannotRaise(mlir::Operation* op, std::string_view why) {
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("unsupported: {}: {}", std::string_view(op->getName().getStringRef()), why));
}

mlir::RankedTensorType StaticTensor(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return {};
  return mlir::RankedTensorType::get(tensor.getShape(), ElementFor(tensor.getElementType()));
}

}  // namespace opbyop::reference
