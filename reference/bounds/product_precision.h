// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In which precision a device multiplies and adds up, where a dot algorithm says so.
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

// An operand is split into so many numbers of a format, each the rounded rest of those before.
struct OperandSplit {
  const llvm::fltSemantics* format = nullptr;
  int64_t components = 1;
  bool toward_zero = false;  // each may be rounded so; else to nearest

  // What is left of a number, relative to it: at most.
  double Unit() const;
};

struct ProductPrecision {
  std::optional<OperandSplit> lhs, rhs;  // where the operand's own type has more numbers; else it is taken as it is
  int64_t products = 1;                  // that stand for one
  double dropped = 0;                    // of the product of two splits: what those left out amount to, relative
  // Describes the type in which products are added up. If all are 0 it is the type of the result.
  double unit = 0;
  double underflow = 0;
  double greatest = 0;

  // The variance of a product relative to its square, as operands are converted: independent errors of mean zero.
  double variance() const;
  // The mean error of a product relative to it, where operands are converted in one direction.
  double bias() const;
};

// The precision that a dot_general states with its algorithm, or with its types if it has none.
ProductPrecision PrecisionOf(mlir::Operation* op, ElementType lhs, ElementType rhs);

// The precision of a target that declares a name of FindFactorFormat (manifests/targets/arithmetic.h). "f32" and
// unknown names change nothing, and f64 is multiplied as it is.
ProductPrecision DeclaredPrecision(std::string_view name, ElementType lhs, ElementType rhs);

// The tensor with the error of the conversion in its bound: none where the element is a number of the format, any where
// it overflows.
Tensor WithConversionErrors(const Tensor& t, const std::optional<OperandSplit>& split);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_PRODUCT_PRECISION_H_
