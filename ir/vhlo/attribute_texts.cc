// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/attribute_texts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

namespace opbyop::vhlo {
namespace {

std::string Listed(llvm::ArrayRef<int64_t> values) {
  auto spell = [](int64_t value) { return mlir::ShapedType::isDynamic(value) ? "?" : std::to_string(value); };
  return llvm::join(llvm::map_range(values, spell), ", ");
}

}  // namespace

std::string BoundsText(llvm::ArrayRef<int64_t> bounds) { return "#stablehlo.bounds<" + Listed(bounds) + ">"; }

std::string OutputOperandAliasText(llvm::ArrayRef<int64_t> output_tuple, int64_t operand,
                                   llvm::ArrayRef<int64_t> operand_tuple) {
  return "#stablehlo.output_operand_alias<output_tuple_indices = [" + Listed(output_tuple) +
         "], operand_index = " + std::to_string(operand) + ", operand_tuple_indices = [" + Listed(operand_tuple) + "]>";
}

std::string ResultAccuracyText(mlir::FloatAttr atol, mlir::FloatAttr rtol, int64_t ulps, mlir::Attribute mode) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "#stablehlo.result_accuracy<";
  for (auto [name, value] : {std::pair("atol = ", atol), std::pair("rtol = ", rtol)}) {
    if (value.getValue().isZero()) continue;
    value.print(os << name, /*elideType=*/true);
    os << ", ";
  }
  if (ulps != 0) os << "ulps = " << ulps << ", ";
  os << "mode = " << mode << ">";
  return text;
}

std::string AxisRefText(mlir::StringAttr name, mlir::DenseI64ArrayAttr sub_axis) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "#stablehlo.axis_ref<name = " << name;
  if (sub_axis && sub_axis.size() == 2) os << ", sub_axis_info = (" << sub_axis[0] << ")" << sub_axis[1];
  os << ">";
  return text;
}

std::string ReplicaGroupMeshAxesText(mlir::Attribute mesh, mlir::Attribute axes) {
  if (auto symbol = llvm::dyn_cast<mlir::StringAttr>(mesh)) mesh = mlir::FlatSymbolRefAttr::get(symbol);
  std::string text;
  llvm::raw_string_ostream(text) << "#stablehlo.replica_group_mesh_axes<mesh = " << mesh << ", axes = " << axes << ">";
  return text;
}

std::string MeshAxisText(mlir::StringAttr name, int64_t size) {
  std::string text;
  llvm::raw_string_ostream(text) << "#stablehlo.mesh_axis<name = " << name << ", size = " << size << ">";
  return text;
}

std::string MeshText(mlir::Attribute axes, mlir::Attribute device_ids) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "#stablehlo.mesh<axes = " << axes;
  if (device_ids) os << ", device_ids = " << device_ids;
  os << ">";
  return text;
}

std::string FutureText(llvm::ArrayRef<mlir::Type> types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "!stablehlo.future<";
  llvm::interleaveComma(types, os);
  os << ">";
  return text;
}

}  // namespace opbyop::vhlo
