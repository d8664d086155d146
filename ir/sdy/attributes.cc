// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses and prints the sdy attributes: meshes, axes and shardings. Sharding rules are in sharding_rule.cc.
#include <limits>

#include "ir/sdy/attribute_lists.h"
#include "ir/sdy/sdy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#define GET_ATTRDEF_CLASSES
#include "ir/sdy/attributes.cc.inc"

namespace opbyop::sdy {

using Delimiter = mlir::AsmParser::Delimiter;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::failed;
using mlir::failure;
using mlir::ParseResult;
using mlir::succeeded;
using mlir::success;

namespace {

ParseResult ParseAxes(AsmParser& parser, SmallVector<AxisRefAttr>& axes) {
  return ParseList(parser, Delimiter::Braces, axes);
}

// Parses the optional reduction before axes: `max` in `max{"x"}`, nothing in `{"x"}`.
ParseResult ParseReduction(AsmParser& parser, ReductionOp& reduction) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word))) return success();
  const std::optional<ReductionOp> named = symbolizeReductionOp(word);
  if (!named) return parser.emitError(loc) << "expected sum, max or min, or axes";
  reduction = *named;
  return success();
}

void PrintAxes(AsmPrinter& printer, llvm::ArrayRef<AxisRefAttr> axes) {
  printer << '{';
  PrintList(printer, axes);
  printer << '}';
}

}  // namespace

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser& parser, mlir::Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size)) return {};
  if (size < 1) {
    parser.emitError(loc) << "axis \"" << name << "\" has size " << size << ", expected at least 1";
    return {};
  }
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  printer << '=' << getSize();
}

mlir::LogicalResult MeshAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit,
                                     llvm::ArrayRef<MeshAxisAttr> axes, llvm::ArrayRef<int64_t> ids) {
  for (size_t i = 0; i < axes.size(); ++i) {
    auto is_same = [&](MeshAxisAttr other) { return other.getName() == axes[i].getName(); };
    if (llvm::any_of(axes.take_front(i), is_same)) return emit() << "axis \"" << axes[i].getName() << "\" twice";
    if (axes[i].getSize() < 1) return emit() << "axis \"" << axes[i].getName() << "\" has a size below 1";
  }
  auto negative = llvm::find_if(ids, [](int64_t id) { return id < 0; });
  if (negative != ids.end()) return emit() << "device id " << *negative << ", expected none below 0";
  return success();
}

int64_t MeshAttr::Size() const {
  int64_t size = 1;
  for (MeshAxisAttr axis : getAxes()) {
    if (__builtin_mul_overflow(size, axis.getSize(), &size)) return std::numeric_limits<int64_t>::max();
  }
  return size;
}

bool MeshAttr::IsMaximal() const { return getAxes().empty() && getDeviceIds().size() == 1; }

int64_t MeshAttr::AxisSize(StringRef name) const {
  for (MeshAxisAttr axis : getAxes()) {
    if (axis.getName() == name) return axis.getSize();
  }
  return 0;
}

Attribute MeshAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  auto parse_id = [&] { return parser.parseInteger(ids.emplace_back()); };
  if (parser.parseLess() || ParseList(parser, Delimiter::Square, axes)) return {};
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("device_ids") || parser.parseEqual() ||
                                                 parser.parseCommaSeparatedList(Delimiter::Square, parse_id))) {
    return {};
  }
  if (parser.parseGreater()) return {};
  // Device ids in order are the default.
  if (!axes.empty() && llvm::equal(ids, llvm::seq<int64_t>(0, ids.size()))) ids.clear();
  return parser.getChecked<MeshAttr>(parser.getContext(), llvm::ArrayRef<MeshAxisAttr>(axes),
                                     llvm::ArrayRef<int64_t>(ids));
}

void MeshAttr::print(AsmPrinter& printer) const {
  printer << "<[";
  PrintList(printer, getAxes());
  printer << ']';
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser& parser, mlir::Type) {
  int64_t pre_size = 0;
  int64_t size = 0;
  if (parser.parseLParen() || parser.parseInteger(pre_size) || parser.parseRParen() || parser.parseInteger(size)) {
    return {};
  }
  return get(parser.getContext(), pre_size, size);
}

void SubAxisInfoAttr::print(AsmPrinter& printer) const { printer << '(' << getPreSize() << ')' << getSize(); }

Attribute AxisRefAttr::parse(AsmParser& parser, mlir::Type) {
  std::string name;
  if (parser.parseString(&name)) return {};
  if (failed(parser.parseOptionalColon())) return get(parser.getContext(), name, SubAxisInfoAttr());
  SubAxisInfoAttr part;
  if (ParseOne(parser, part)) return {};
  return get(parser.getContext(), name, part);
}

void AxisRefAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  if (!getSubAxisInfo()) return;
  printer << ':';
  getSubAxisInfo().print(printer);
}

Attribute AxisRefListAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<AxisRefAttr> axes;
  if (ParseAxes(parser, axes)) return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter& printer) const { PrintAxes(printer, getValue()); }

Attribute ListOfAxisRefListsAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<AxisRefListAttr> lists;
  if (ParseList(parser, Delimiter::Square, lists)) return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter& printer) const {
  printer << '[';
  PrintList(printer, getValue());
  printer << ']';
}

Attribute ManualAxesAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<mlir::StringAttr> names;
  auto parse_name = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name)) return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parse_name)) return {};
  return get(parser.getContext(), names);
}

void ManualAxesAttr::print(AsmPrinter& printer) const {
  printer << '{';
  llvm::interleaveComma(getValue(), printer, [&](mlir::StringAttr name) { printer.printString(name.getValue()); });
  printer << '}';
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

Attribute DimensionShardingAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<AxisRefAttr> axes;
  bool is_closed = true;
  if (parser.parseLBrace()) return {};
  if (failed(parser.parseOptionalRBrace())) {
    do {
      if (succeeded(parser.parseOptionalQuestion())) {
        is_closed = false;
        break;
      }
      if (ParseOne(parser, axes)) return {};
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRBrace()) return {};
  }
  std::optional<int64_t> priority;
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    int64_t number = 0;
    if (!word.consume_front("p") || word.getAsInteger(10, number) || number < 0) {
      parser.emitError(loc, "expected a priority, p0 or p1 and so on");
      return {};
    }
    priority = number;
  }
  return get(parser.getContext(), axes, is_closed, priority);
}

void DimensionShardingAttr::print(AsmPrinter& printer) const {
  printer << '{';
  PrintList(printer, getAxes());
  if (!getIsClosed()) printer << (getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (getPriority()) printer << 'p' << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser& parser, mlir::Type) {
  if (parser.parseLess()) return {};
  Attribute mesh;
  mlir::StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name))) {
    mesh = mlir::FlatSymbolRefAttr::get(name);
  } else {
    if (parser.parseKeyword("mesh", ", or the name of a mesh")) return {};
    mesh = MeshAttr::parse(parser, {});
    if (!mesh) return {};
  }
  SmallVector<DimensionShardingAttr> dims;
  if (parser.parseComma() || ParseList(parser, Delimiter::Square, dims)) return {};
  SmallVector<AxisRefAttr> replicated;
  SmallVector<AxisRefAttr> unreduced;
  ReductionOp reduction = ReductionOp::SUM;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key)) return {};
    SmallVector<AxisRefAttr>* axes = key == "replicated" ? &replicated : key == "unreduced" ? &unreduced : nullptr;
    if (axes == nullptr || !axes->empty()) {
      parser.emitError(loc, "expected replicated={..} or unreduced={..}, each once");
      return {};
    }
    if (parser.parseEqual() || (axes == &unreduced && ParseReduction(parser, reduction)) || ParseAxes(parser, *axes)) {
      return {};
    }
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), mesh, dims, replicated, unreduced, reduction);
}

void TensorShardingAttr::print(AsmPrinter& printer) const {
  printer << '<';
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  PrintList(printer, getDimShardings());
  printer << ']';
  if (!getReplicatedAxes().empty()) {
    printer << ", replicated=";
    PrintAxes(printer, getReplicatedAxes());
  }
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReduction() != ReductionOp::SUM) printer << stringifyReductionOp(getReduction());
    PrintAxes(printer, getUnreducedAxes());
  }
  printer << '>';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() || ParseList(parser, Delimiter::Square, shardings) || parser.parseGreater()) return {};
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter& printer) const {
  printer << "<[";
  PrintList(printer, getShardings());
  printer << "]>";
}

Attribute AllToAllParamAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0;
  int64_t target = 0;
  if (ParseAxes(parser, axes) || parser.parseColon() || parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target)) {
    return {};
  }
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter& printer) const {
  PrintAxes(printer, getAxes());
  printer << ": " << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<AllToAllParamAttr> params;
  if (ParseList(parser, Delimiter::Square, params)) return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter& printer) const {
  printer << '[';
  PrintList(printer, getValue());
  printer << ']';
}

void SdyDialect::RegisterAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/sdy/attributes.cc.inc"
      >();
}

}  // namespace opbyop::sdy

#include "ir/sdy/enums.cc.inc"
