// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/register.h"

#include "ir/check/check.h"
#include "ir/chlo/chlo.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace opbyop {

void RegisterAllDialects(mlir::DialectRegistry& registry) {
  registry.insert<check::CheckDialect, chlo::ChloDialect, interpreter::InterpreterDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::quant::QuantDialect, mlir::shape::ShapeDialect,
                  mlir::sparse_tensor::SparseTensorDialect, mlir::tensor::TensorDialect, sdy::SdyDialect,
                  stablehlo::StablehloDialect>();
}

}  // namespace opbyop
