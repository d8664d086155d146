// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/old_spellings.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace opbyop::stablehlo {
namespace {

using mlir::Attribute;
using mlir::LogicalResult;
using mlir::NamedAttrList;
using mlir::OpaqueProperties;
using mlir::Operation;
using mlir::OperationName;
using Emit = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Returns the array for a list of i64 or i1 elements; null for every other attribute.
Attribute ArrayOf(Attribute value) {
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(value);
  if (!dense || dense.getType().getRank() != 1) return {};
  if (dense.getElementType().isSignlessInteger(64)) {
    return mlir::DenseI64ArrayAttr::get(value.getContext(), llvm::to_vector(dense.getValues<int64_t>()));
  }
  if (!dense.getElementType().isSignlessInteger(1)) return {};
  return mlir::DenseBoolArrayAttr::get(value.getContext(), llvm::to_vector(dense.getValues<bool>()));
}

// Forwards everything to the strict op, but converts attributes to the current form first.
class LenientOp final : public OperationName::Impl {
 public:
  explicit LenientOp(std::unique_ptr<OperationName::Impl> strict)
      : Impl(strict->getName(), strict->getDialect(), strict->getTypeID(), std::move(strict->getInterfaceMap())),
        strict_(std::move(strict)) {}

  LogicalResult verifyInherentAttrs(OperationName name, NamedAttrList& attributes, Emit emit) final {
    Modernise(name, attributes);
    return strict_->verifyInherentAttrs(name, attributes, emit);
  }
  LogicalResult setPropertiesFromAttr(OperationName name, OpaqueProperties properties, Attribute value,
                                      Emit emit) final {
    if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value)) {
      NamedAttrList attributes(dictionary);
      if (Modernise(name, attributes)) value = attributes.getDictionary(value.getContext());
    }
    return strict_->setPropertiesFromAttr(name, properties, value, emit);
  }

  LogicalResult foldHook(Operation* op, llvm::ArrayRef<Attribute> operands,
                         llvm::SmallVectorImpl<mlir::OpFoldResult>& results) final {
    return strict_->foldHook(op, operands, results);
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet& patterns, mlir::MLIRContext* context) final {
    strict_->getCanonicalizationPatterns(patterns, context);
  }
  bool hasTrait(mlir::TypeID id) final { return strict_->hasTrait(id); }
  OperationName::ParseAssemblyFn getParseAssemblyFn() final { return strict_->getParseAssemblyFn(); }
  void populateDefaultAttrs(const OperationName& name, NamedAttrList& attributes) final {
    strict_->populateDefaultAttrs(name, attributes);
  }
  void printAssembly(Operation* op, mlir::OpAsmPrinter& printer, llvm::StringRef dialect) final {
    strict_->printAssembly(op, printer, dialect);
  }
  LogicalResult verifyInvariants(Operation* op) final { return strict_->verifyInvariants(op); }
  LogicalResult verifyRegionInvariants(Operation* op) final { return strict_->verifyRegionInvariants(op); }
  std::optional<Attribute> getInherentAttr(Operation* op, llvm::StringRef name) final {
    return strict_->getInherentAttr(op, name);
  }
  void setInherentAttr(Operation* op, mlir::StringAttr name, Attribute value) final {
    strict_->setInherentAttr(op, name, value);
  }
  void populateInherentAttrs(Operation* op, NamedAttrList& attributes) final {
    strict_->populateInherentAttrs(op, attributes);
  }
  int getOpPropertyByteSize() final { return strict_->getOpPropertyByteSize(); }
  void initProperties(OperationName name, OpaqueProperties storage, OpaqueProperties init) final {
    strict_->initProperties(name, storage, init);
  }
  void deleteProperties(OpaqueProperties properties) final { strict_->deleteProperties(properties); }
  void populateDefaultProperties(OperationName name, OpaqueProperties properties) final {
    strict_->populateDefaultProperties(name, properties);
  }
  Attribute getPropertiesAsAttr(Operation* op) final { return strict_->getPropertiesAsAttr(op); }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) final { strict_->copyProperties(to, from); }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) final { return strict_->compareProperties(a, b); }
  llvm::hash_code hashProperties(OpaqueProperties properties) final { return strict_->hashProperties(properties); }

 private:
  // Replaces lists that the op does not accept unchanged but accepts as an array. Returns true if there was one.
  bool Modernise(OperationName name, NamedAttrList& attributes) {
    llvm::SmallVector<mlir::NamedAttribute, 4> arrays;
    for (mlir::NamedAttribute attribute : attributes) {
      Attribute array = ArrayOf(attribute.getValue());
      if (!array || Takes(name, attribute)) continue;
      mlir::NamedAttribute modern(attribute.getName(), array);
      if (Takes(name, modern)) arrays.push_back(modern);
    }
    for (mlir::NamedAttribute array : arrays) attributes.set(array.getName(), array.getValue());
    return !arrays.empty();
  }

  bool Takes(OperationName name, mlir::NamedAttribute attribute) {
    NamedAttrList alone(llvm::ArrayRef<mlir::NamedAttribute>{attribute});
    bool takes = true;
    auto refuse = [&] {
      takes = false;
      return mlir::InFlightDiagnostic();
    };
    (void)strict_->verifyInherentAttrs(name, alone, refuse);
    return takes;
  }

  std::unique_ptr<OperationName::Impl> strict_;
};

}  // namespace

void RegisterLenient(std::unique_ptr<OperationName::Impl> strict, llvm::ArrayRef<llvm::StringRef> attributes) {
  mlir::RegisteredOperationName::insert(std::make_unique<LenientOp>(std::move(strict)), attributes);
}

}  // namespace opbyop::stablehlo
