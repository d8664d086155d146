// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/versions.h"

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "ir/vhlo/element_types.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::vhlo {
namespace {

using Since = std::optional<VhloVersion>;

constexpr VhloVersion kFirst = {0, 9, 0};

Since Latest(Since a, Since b) { return a && b ? Since(std::max(*a, *b)) : std::nullopt; }

template <typename Range>
Since LatestOf(VhloVersion own, Range&& parts) {
  Since since = own;
  for (auto part : parts) since = Latest(since, SinceVersion(part));
  return since;
}

}  // namespace

Since SinceVersion(mlir::Type type) {
  if (const ElementType* row = FindElementType(type)) return row->since;
  return llvm::TypeSwitch<mlir::Type, Since>(type)
      .Case([](mlir::ComplexType t) { return SinceVersion(t.getElementType()); })
      .Case([](mlir::FunctionType t) {
        return Latest(LatestOf(kFirst, t.getInputs()), LatestOf(kFirst, t.getResults()));
      })
      .Case([](mlir::RankedTensorType t) {
        Since encoding = t.getEncoding() ? SinceVersion(t.getEncoding()) : kFirst;
        return Latest(encoding, SinceVersion(t.getElementType()));
      })
      .Case([](mlir::UnrankedTensorType t) { return SinceVersion(t.getElementType()); })
      .Case([](mlir::MemRefType t) -> Since {
        if (!t.getLayout().isIdentity() || t.getMemorySpace()) return std::nullopt;
        return Latest(VhloVersion{1, 13, 0}, SinceVersion(t.getElementType()));
      })
      .Case([](mlir::TupleType t) { return LatestOf(kFirst, t.getTypes()); })
      .Case([](stablehlo::TokenType) { return kFirst; })
      .Case([](stablehlo::FutureType t) { return LatestOf({1, 15, 0}, t.getTypes()); })
      .Case([](mlir::quant::UniformQuantizedType t) {
        return Latest(SinceVersion(t.getStorageType()), SinceVersion(t.getExpressedType()));
      })
      .Case([](mlir::quant::UniformQuantizedPerAxisType t) {
        return Latest(VhloVersion{0, 18, 0},
                      Latest(SinceVersion(t.getStorageType()), SinceVersion(t.getExpressedType())));
      })
      .Default(std::nullopt);
}

Since SinceVersion(mlir::Attribute attribute) {
  return llvm::TypeSwitch<mlir::Attribute, Since>(attribute)
      .Case([](mlir::IntegerAttr a) { return SinceVersion(a.getType()); })
      .Case([](mlir::FloatAttr a) { return SinceVersion(a.getType()); })
      .Case([](mlir::StringAttr) { return kFirst; })
      .Case([](mlir::ArrayAttr a) { return LatestOf(kFirst, a.getValue()); })
      .Case([](mlir::DictionaryAttr a) {
        return LatestOf(kFirst, llvm::map_range(a.getValue(), [](mlir::NamedAttribute e) { return e.getValue(); }));
      })
      .Case([](mlir::DenseStringElementsAttr) { return std::nullopt; })
      .Case([](mlir::DenseElementsAttr a) { return SinceVersion(mlir::Type(a.getType())); })
      .Case([](mlir::TypeAttr a) { return SinceVersion(a.getValue()); })
      .Case<stablehlo::ComparisonDirectionAttr, stablehlo::ComparisonTypeAttr, stablehlo::FftTypeAttr,
            stablehlo::PrecisionAttr, stablehlo::RngAlgorithmAttr, stablehlo::RngDistributionAttr,
            stablehlo::TransposeAttr, stablehlo::OutputOperandAliasAttr, stablehlo::TypeExtensionsAttr>(
          [](mlir::Attribute) { return kFirst; })
      .Case<stablehlo::ResultAccuracyAttr, stablehlo::ResultAccuracyModeAttr>(
          [](mlir::Attribute) { return VhloVersion{1, 9, 0}; })
      .Case<stablehlo::SubAxisInfoAttr, stablehlo::AxisRefAttr, stablehlo::ReplicaGroupMeshAxesAttr,
            stablehlo::MeshAxisAttr, stablehlo::MeshAttr>([](mlir::Attribute) { return VhloVersion{1, 16, 0}; })
      .Default(std::nullopt);
}

int BytecodeVersion(const VhloVersion& version) {
  if (version < VhloVersion{0, 10, 0}) return 0;
  if (version < VhloVersion{0, 12, 0}) return 1;
  if (version < VhloVersion{0, 14, 0}) return 3;
  if (version < VhloVersion{0, 15, 0}) return 4;
  return 6;
}

}  // namespace opbyop::vhlo
