// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/foreign_dialects.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace opbyop {

void RegisterForeignDialects(mlir::DialectRegistry& registry) {
  registry
      .insert<mlir::LLVM::LLVMDialect, mlir::affine::AffineDialect, mlir::arith::ArithDialect,
              mlir::bufferization::BufferizationDialect, mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect,
              mlir::func::FuncDialect, mlir::index::IndexDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect,
              mlir::memref::MemRefDialect, mlir::ml_program::MLProgramDialect, mlir::scf::SCFDialect,
              mlir::tensor::TensorDialect, mlir::tosa::TosaDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

void AllowForeignDialects(mlir::MLIRContext& context) {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry all;
    RegisterForeignDialects(all);
    return all;
  }();
  context.appendDialectRegistry(registry);
}

void AllowAnyDialect(mlir::MLIRContext& context) {
  AllowForeignDialects(context);
  context.allowUnregisteredDialects();
}

}  // namespace opbyop
