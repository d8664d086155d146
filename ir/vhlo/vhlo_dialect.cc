// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/vhlo_dialect.h"

#include "ir/stablehlo/stablehlo.h"
#include "ir/vhlo/parse_text.h"
#include "ir/vhlo/vhlo_bytecode.h"
#include "ir/vhlo/vhlo_ops.h"
#include "ir/vhlo/wrapped.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(opbyop::vhlo::VhloDialect)

namespace opbyop::vhlo {
namespace {

using mlir::Attribute;
using mlir::LogicalResult;
using mlir::OpaqueProperties;
using mlir::Operation;
using mlir::OperationName;
using mlir::success;

// Attributes are stored by position, in the order of their names. Reading gives them their names again.
struct ReadByPosition : mlir::BytecodeOpInterface::FallbackModel<ReadByPosition> {
  static LogicalResult readProperties(mlir::DialectBytecodeReader& reader, mlir::OperationState& state) {
    const VhloOp* op = FindVhloOp(state.name.stripDialect());
    for (const Property& property : op->properties) {
      Attribute value;
      if (failed(reader.readAttribute(value))) return mlir::failure();
      state.addAttribute(property.name, value);
    }
    return success();
  }

  void writeProperties(Operation* op, mlir::DialectBytecodeWriter& writer) const {
    for (const Property& property : FindVhloOp(op->getName().stripDialect())->properties) {
      writer.writeAttribute(op->getInherentAttr(property.name).value_or(Attribute()));
    }
  }
};

// An op with any operands, results and regions. There is one instance per row of the op table.
class TableOp final : public OperationName::Impl {
 public:
  TableOp(const VhloOp& row, mlir::Dialect* dialect, mlir::TypeID id)
      : Impl(("vhlo." + row.name).str(), dialect, id, mlir::detail::InterfaceMap()), row_(row) {
    getInterfaceMap().insertModels<ReadByPosition>();
  }

  LogicalResult foldHook(Operation*, llvm::ArrayRef<Attribute>, llvm::SmallVectorImpl<mlir::OpFoldResult>&) final {
    return mlir::failure();
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet&, mlir::MLIRContext*) final {}
  bool hasTrait(mlir::TypeID) final { return false; }
  OperationName::ParseAssemblyFn getParseAssemblyFn() final {
    if (row_.stem() == "func") return &ParseFunction;
    return [](mlir::OpAsmParser& parser, mlir::OperationState&) -> mlir::ParseResult {
      return parser.emitError(parser.getNameLoc(), "this vhlo operation has the generic form only");
    };
  }
  void populateDefaultAttrs(const OperationName&, mlir::NamedAttrList&) final {}
  void printAssembly(Operation* op, mlir::OpAsmPrinter& printer, llvm::StringRef) final { printer.printGenericOp(op); }
  LogicalResult verifyInvariants(Operation*) final { return success(); }
  LogicalResult verifyRegionInvariants(Operation*) final { return success(); }

  // The attributes listed in the table are properties, stored as one dictionary.
  std::optional<Attribute> getInherentAttr(Operation* op, llvm::StringRef name) final {
    if (!IsProperty(name)) return std::nullopt;
    return Stored(op->getPropertiesStorage()).get(name);
  }
  void setInherentAttr(Operation* op, mlir::StringAttr name, Attribute value) final {
    mlir::NamedAttrList list(Stored(op->getPropertiesStorage()));
    if (value) {
      list.set(name, value);
    } else {
      list.erase(name);
    }
    Store(op->getPropertiesStorage(), list.getDictionary(op->getContext()));
  }
  void populateInherentAttrs(Operation* op, mlir::NamedAttrList& attributes) final {
    if (mlir::DictionaryAttr stored = Stored(op->getPropertiesStorage())) attributes.append(stored.getValue());
  }
  LogicalResult verifyInherentAttrs(OperationName, mlir::NamedAttrList&,
                                    llvm::function_ref<mlir::InFlightDiagnostic()>) final {
    return success();
  }
  int getOpPropertyByteSize() final { return row_.properties.empty() ? 0 : sizeof(mlir::DictionaryAttr); }
  void initProperties(OperationName name, OpaqueProperties storage, OpaqueProperties init) final {
    if (!storage) return;
    new (storage.as<void*>()) mlir::DictionaryAttr(init ? Stored(init) : mlir::DictionaryAttr::get(name.getContext()));
  }
  void deleteProperties(OpaqueProperties) final {}
  void populateDefaultProperties(OperationName, OpaqueProperties) final {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties storage, Attribute value,
                                      llvm::function_ref<mlir::InFlightDiagnostic()> emit_error) final {
    auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value);
    if (!dictionary) return emit_error() << "the properties of a vhlo operation are a dictionary";
    Store(storage, dictionary);
    return success();
  }
  Attribute getPropertiesAsAttr(Operation* op) final { return Stored(op->getPropertiesStorage()); }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) final { Store(to, Stored(from)); }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) final { return Stored(a) == Stored(b); }
  llvm::hash_code hashProperties(OpaqueProperties storage) final { return hash_value(Stored(storage)); }

 private:
  // An op without properties has no storage. The result is then null.
  static mlir::DictionaryAttr Stored(OpaqueProperties storage) {
    return storage ? *storage.as<mlir::DictionaryAttr*>() : mlir::DictionaryAttr();
  }
  static void Store(OpaqueProperties storage, mlir::DictionaryAttr value) {
    if (storage) *storage.as<mlir::DictionaryAttr*>() = value;
  }
  bool IsProperty(llvm::StringRef name) const {
    return llvm::any_of(row_.properties, [&](const Property& property) { return property.name == name; });
  }

  const VhloOp& row_;
};

}  // namespace

VhloDialect::VhloDialect(mlir::MLIRContext* context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<VhloDialect>()) {
  context->loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect, stablehlo::StablehloDialect>();
  for (const VhloOp& op : VhloOps()) {
    auto names =
        llvm::map_to_vector(op.properties, [](const Property& property) -> llvm::StringRef { return property.name; });
    mlir::RegisteredOperationName::insert(std::make_unique<TableOp>(op, this, op_ids_.allocate()), names);
  }
  addAttributes<WrappedAttr>();
  addTypes<WrappedType>();
  addInterface(MakeBytecodeInterface(this));
}

Attribute VhloDialect::parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const {
  return ParseAttribute(parser);
}

mlir::Type VhloDialect::parseType(mlir::DialectAsmParser& parser) const { return ParseType(parser); }

void VhloDialect::printAttribute(Attribute attribute, mlir::DialectAsmPrinter& printer) const {
  printer << "wrapped<" << llvm::cast<WrappedAttr>(attribute).inner() << ">";
}

void VhloDialect::printType(mlir::Type type, mlir::DialectAsmPrinter& printer) const {
  printer << "wrapped<" << llvm::cast<WrappedType>(type).inner() << ">";
}

}  // namespace opbyop::vhlo
