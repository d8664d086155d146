// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function on its way into StableHLO: what each of its values has become, and the ops that say it.
//
//   RaisedFunction raised(builder);
//   raised.Map(argument, new_argument);
//   raised.Map(op->getResult(0), raised.Make(op, "stablehlo.negate", type, raised.Lookup(op->getOperand(0))));
#ifndef OPBYOP_REFERENCE_RAISE_RAISED_FUNCTION_H_
#define OPBYOP_REFERENCE_RAISE_RAISED_FUNCTION_H_

#include <string_view>

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "support/expected.h"

namespace opbyop::reference {

class RaisedFunction {
 public:
  // New ops stand where the builder is.
  explicit RaisedFunction(mlir::OpBuilder& builder) : builder_(builder) {}

  void Map(mlir::Value from, mlir::Value to) { mapping_.map(from, to); }
  // Null where the value has none yet.
  mlir::Value Lookup(mlir::Value value) const { return mapping_.lookupOrNull(value); }
  // The op as it is, on the raised operands.
  void Clone(mlir::Operation* op) { builder_.clone(*op, mapping_); }

  // An op of one result, where `of` was.
  mlir::Value Make(mlir::Operation* of, llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute Integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute Integer(llvm::StringRef name, int64_t value);

  mlir::OpBuilder& builder() { return builder_; }

 private:
  mlir::OpBuilder& builder_;
  mlir::IRMapping mapping_;
};

// kUnsupported: the op cannot be said in StableHLO, because `why`.
tl::unexpected<Error> CannotRaise(mlir::Operation* op, std::string_view why);

// The type in the reference; null where it is no tensor of a static shape.
mlir::RankedTensorType StaticTensor(mlir::Type type);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISED_FUNCTION_H_
