#include "ir/vhlo/vhlo_dialect.h"

#include "ir/vhlo/vhlo_bytecode.h"
#include "ir/vhlo/vhlo_ops.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
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

// Attributes are stored by position, in the order of their names; here they become a plain attribute dictionary.
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
      writer.writeAttribute(op->getDiscardableAttr(property.name));
    }
  }
};

// One instance per row of the op table: an op with any operands, results and regions.
class TableOp final : public OperationName::Impl {
 public:
  TableOp(llvm::StringRef name, mlir::Dialect* dialect, mlir::TypeID id)
      : Impl(name, dialect, id, mlir::detail::InterfaceMap()) {
    getInterfaceMap().insertModels<ReadByPosition>();
  }

  LogicalResult foldHook(Operation*, llvm::ArrayRef<Attribute>, llvm::SmallVectorImpl<mlir::OpFoldResult>&) final {
    return mlir::failure();
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet&, mlir::MLIRContext*) final {}
  bool hasTrait(mlir::TypeID) final { return false; }
  OperationName::ParseAssemblyFn getParseAssemblyFn() final {
    return [](mlir::OpAsmParser& parser, mlir::OperationState&) -> mlir::ParseResult {
      return parser.emitError(parser.getNameLoc(), "a vhlo operation has the generic form only");
    };
  }
  void populateDefaultAttrs(const OperationName&, mlir::NamedAttrList&) final {}
  void printAssembly(Operation* op, mlir::OpAsmPrinter& printer, llvm::StringRef) final { printer.printGenericOp(op); }
  LogicalResult verifyInvariants(Operation*) final { return success(); }
  LogicalResult verifyRegionInvariants(Operation*) final { return success(); }

  std::optional<Attribute> getInherentAttr(Operation*, llvm::StringRef) final { return std::nullopt; }
  void setInherentAttr(Operation*, mlir::StringAttr, Attribute) final {}
  void populateInherentAttrs(Operation*, mlir::NamedAttrList&) final {}
  LogicalResult verifyInherentAttrs(OperationName, mlir::NamedAttrList&,
                                    llvm::function_ref<mlir::InFlightDiagnostic()>) final {
    return success();
  }
  int getOpPropertyByteSize() final { return 0; }
  void initProperties(OperationName, OpaqueProperties, OpaqueProperties) final {}
  void deleteProperties(OpaqueProperties) final {}
  void populateDefaultProperties(OperationName, OpaqueProperties) final {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties, Attribute,
                                      llvm::function_ref<mlir::InFlightDiagnostic()>) final {
    return success();
  }
  Attribute getPropertiesAsAttr(Operation*) final { return {}; }
  void copyProperties(OpaqueProperties, OpaqueProperties) final {}
  bool compareProperties(OpaqueProperties, OpaqueProperties) final { return true; }
  llvm::hash_code hashProperties(OpaqueProperties) final { return 0; }
};

}  // namespace

VhloDialect::VhloDialect(mlir::MLIRContext* context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<VhloDialect>()) {
  context->loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  for (const VhloOp& op : VhloOps()) {
    std::string name = (getDialectNamespace() + "." + op.name).str();
    mlir::RegisteredOperationName::insert(std::make_unique<TableOp>(name, this, op_ids_.allocate()), {});
  }
  addInterface(MakeBytecodeInterface(this));
}

}  // namespace opbyop::vhlo
