// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

namespace opbyop::stablehlo {

void StablehloDialect::initialize() {
  RegisterAttributes();
  RegisterTypes();
  RegisterControlFlowOps();
  RegisterContractionOps();
  RegisterDataMovementOps();
  RegisterDistributionOps();
  RegisterDynamismOps();
  RegisterElementwiseBinaryOps();
  RegisterElementwiseUnaryOps();
  RegisterMiscOps();
  RegisterBytecode();
}

mlir::Operation* StablehloDialect::materializeConstant(mlir::OpBuilder& builder, mlir::Attribute value, mlir::Type type,
                                                       mlir::Location loc) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || !llvm::isa<mlir::RankedTensorType>(type)) return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

}  // namespace opbyop::stablehlo

#include "ir/stablehlo/dialect.cc.inc"
