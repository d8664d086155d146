// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The `vhlo` dialect, whose ops a portable artifact contains, and some compilers' dumps as text.
//
//   context.getOrLoadDialect<opbyop::vhlo::VhloDialect>();
//   // mlir::parseSourceString<ModuleOp>(source, config) now gives vhlo.* ops. ConvertToStablehlo(module) converts them.
//
// Versioned attributes and types are decoded directly to builtin and StableHLO ones. Only an artifact that is being
// written has them, as wrappers (wrapped.h). The ops have no traits and no verifier: StableHLO's verifiers check the
// converted module.
#ifndef OPBYOP_IR_VHLO_VHLO_DIALECT_H_
#define OPBYOP_IR_VHLO_VHLO_DIALECT_H_

#include "mlir/IR/Dialect.h"
#include "mlir/Support/TypeID.h"

namespace opbyop::vhlo {

class VhloDialect : public mlir::Dialect {
 public:
  explicit VhloDialect(mlir::MLIRContext* context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "vhlo"; }

  mlir::Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const override;
  mlir::Type parseType(mlir::DialectAsmParser& parser) const override;
  void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter& printer) const override;
  void printType(mlir::Type type, mlir::DialectAsmPrinter& printer) const override;

 private:
  mlir::TypeIDAllocator op_ids_;
};

}  // namespace opbyop::vhlo

MLIR_DECLARE_EXPLICIT_TYPE_ID(opbyop::vhlo::VhloDialect)

#endif  // OPBYOP_IR_VHLO_VHLO_DIALECT_H_
