// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function that is being raised to StableHLO: maps each of its values to the raised value, and builds the new ops.
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
  // New ops are inserted at the builder's insertion point.
  explicit RaisedFunction(mlir::OpBuilder& builder) : builder_(builder) {}

  void Map(mlir::Value from, mlir::Value to) { mapping_.map(from, to); }
  // Returns the raised value, or null if the value has not been mapped yet.
  mlir::Value Lookup(mlir::Value value) const { return mapping_.lookupOrNull(value); }
  // Copies the op unchanged, with the raised operands.
  void Clone(mlir::Operation* op) { builder_.clone(*op, mapping_); }

  // Makes an op with one result and the location of `of`.
  mlir::Value Make(mlir::Operation* of, llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute Integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute Integer(llvm::StringRef name, int64_t value);

  mlir::OpBuilder& builder() { return builder_; }

 private:
  mlir::OpBuilder& builder_;
  mlir::IRMapping mapping_;
};

// Returns kUnsupported with a message that StableHLO cannot express the op, and `why`.
tl::unexpected<Error> CannotRaise(mlir::Operation* op, std::string_view why);

// Returns the type that the reference uses for a type. Null if it is not a tensor of static shape.
mlir::RankedTensorType StaticTensor(mlir::Type type);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISED_FUNCTION_H_
