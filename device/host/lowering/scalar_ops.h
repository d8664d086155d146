// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of the table behind scalar.h, by family.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_SCALAR_OPS_H_
#define OPBYOP_DEVICE_HOST_LOWERING_SCALAR_OPS_H_

#include <mlir/IR/ImplicitLocOpBuilder.h>

#include <utility>

#include "device/host/lowering/types.h"

namespace opbyop::host {

// The arguments of a row. `from` and `to` are the original element types of the first operand and the first result. The
// values given to an emitter are signless, and floats are at least 32 bits wide (except for rows that take bits).
struct ScalarOp {
  mlir::ImplicitLocOpBuilder& b;
  mlir::Operation* op;
  mlir::Type from;
  mlir::Type to;
};

// Returns the signless element of the result, or null if the row is undefined for the types.
using ScalarEmitter = mlir::Value (*)(const ScalarOp& s, mlir::ValueRange args);
using ScalarRow = std::pair<llvm::StringRef, ScalarEmitter>;

llvm::ArrayRef<ScalarRow> ArithmeticRows();
llvm::ArrayRef<ScalarRow> IntegerRows();
llvm::ArrayRef<ScalarRow> TranscendentalRows();
llvm::ArrayRef<ScalarRow> ComplexRows();
llvm::ArrayRef<ScalarRow> SpecialRows();
llvm::ArrayRef<ScalarRow> ConversionRows();

// The complex cases of power and abs.
mlir::Value ComplexPower(const ScalarOp& s, mlir::ValueRange args);
mlir::Value ComplexModulus(const ScalarOp& s, mlir::Value arg);

// Emits FloatT, SignedT, UnsignedT, BoolT or ComplexT by the element type of the first operand. The row is undefined
// for a type whose parameter is void.
template <typename FloatT, typename SignedT = void, typename UnsignedT = SignedT, typename BoolT = void,
          typename ComplexT = void>
mlir::Value EmitByType(const ScalarOp& s, mlir::ValueRange args) {
  const auto make = [&]<typename T>(std::type_identity<T>) -> mlir::Value {
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return T::create(s.b, mlir::TypeRange(args[0].getType()), args).getResult();
    }
  };
  if (mlir::isa<mlir::FloatType>(s.from)) return make(std::type_identity<FloatT>());
  if (mlir::isa<mlir::ComplexType>(s.from)) return make(std::type_identity<ComplexT>());
  if (IsBool(s.from)) return make(std::type_identity<BoolT>());
  if (IsUnsigned(s.from)) return make(std::type_identity<UnsignedT>());
  return make(std::type_identity<SignedT>());
}

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_SCALAR_OPS_H_
