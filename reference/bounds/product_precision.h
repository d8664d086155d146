// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The precision in which a device multiplies and adds up, as a dot algorithm or a target's file states it.
//
//   ProductPrecision precision = PrecisionOf(op, lhs.type(), rhs.type());
//   Tensor lhs = WithConversionErrors(lhs, precision.lhs);
#ifndef OPBYOP_REFERENCE_BOUNDS_PRODUCT_PRECISION_H_
#define OPBYOP_REFERENCE_BOUNDS_PRODUCT_PRECISION_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "llvm/ADT/APFloat.h"
#include "mlir/IR/Operation.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Splits an operand into a number of components of a narrower format. Each component is the rounded remainder that the
// components before it leave.
struct OperandSplit {
  const llvm::fltSemantics* format = nullptr;
  int64_t components = 1;
  bool toward_zero = false;  // each may be rounded toward zero; else to nearest

  // The greatest remainder that the components leave, relative to the number.
  double Unit() const;
};

struct ProductPrecision {
  std::optional<OperandSplit> lhs, rhs;  // nullopt: every number of the operand's type is one of the format
  int64_t products = 1;                  // products of components that replace one product
  double dropped = 0;                    // the products of components left out, relative to the whole product
  // Describes the type in which products are added up. If all are 0 it is the type of the result.
  double unit = 0;
  double underflow = 0;
  double greatest = 0;

  // The variance that the conversion of the operands gives a product, relative to its square. Assumes that the errors
  // are independent with mean zero.
  double variance() const;
  // The mean error of a product, relative to it. 0 unless an operand is rounded toward zero.
  double bias() const;
};

// The precision that a dot_general states with its algorithm, or with its types if it has none.
ProductPrecision PrecisionOf(mlir::Operation* op, ElementType lhs, ElementType rhs);

// The precision of a target that declares a name of FindFactorFormat (manifests/targets/arithmetic.h). "f32" and
// unknown names change nothing. Operands of f64 are never converted.
ProductPrecision DeclaredPrecision(std::string_view name, ElementType lhs, ElementType rhs);

// Returns the tensor with the conversion error added to its bound. The error is 0 if the components add up to the
// element exactly, and infinite if it overflows the format.
Tensor WithConversionErrors(const Tensor& t, const std::optional<OperandSplit>& split);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_PRODUCT_PRECISION_H_
