// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The texts of StableHLO's attributes and types with parts, which are the only stable interface to them. Readers of
// VHLO, as bytecode and as text, make the attributes and types from them.
//
//   Attribute bounds = mlir::parseAttribute(BoundsText({4, ShapedType::kDynamic}), context);   // #stablehlo.bounds<4, ?>
#ifndef OPBYOP_IR_VHLO_ATTRIBUTE_TEXTS_H_
#define OPBYOP_IR_VHLO_ATTRIBUTE_TEXTS_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::vhlo {

// A bound may be ShapedType::kDynamic.
std::string BoundsText(llvm::ArrayRef<int64_t> bounds);

std::string OutputOperandAliasText(llvm::ArrayRef<int64_t> output_tuple, int64_t operand,
                                   llvm::ArrayRef<int64_t> operand_tuple);

// The tolerances are of type f64.
std::string ResultAccuracyText(mlir::FloatAttr atol, mlir::FloatAttr rtol, int64_t ulps, mlir::Attribute mode);

// `sub_axis` is null, or has the sizes before the sub-axis and of it.
std::string AxisRefText(mlir::StringAttr name, mlir::DenseI64ArrayAttr sub_axis);

// `mesh` is the name of a mesh as a string, or a mesh.
std::string ReplicaGroupMeshAxesText(mlir::Attribute mesh, mlir::Attribute axes);

std::string MeshAxisText(mlir::StringAttr name, int64_t size);

// `device_ids` may be null.
std::string MeshText(mlir::Attribute axes, mlir::Attribute device_ids);

std::string FutureText(llvm::ArrayRef<mlir::Type> types);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_ATTRIBUTE_TEXTS_H_
