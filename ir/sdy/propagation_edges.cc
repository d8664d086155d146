// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses and prints the records of sharding propagation. Their lists are never empty.
#include "ir/sdy/attribute_lists.h"
#include "ir/sdy/sdy.h"

namespace opbyop::sdy {

using llvm::SmallVector;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::ParseResult;

namespace {

// `[a, b]`
template <typename T>
ParseResult ParseFilled(AsmParser& parser, SmallVector<T>& list) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (ParseList(parser, AsmParser::Delimiter::Square, list)) return mlir::failure();
  if (list.empty()) return parser.emitError(loc, "expected at least one element");
  return mlir::success();
}

template <typename T>
void PrintFilled(AsmPrinter& printer, llvm::ArrayRef<T> list) {
  printer << '[';
  PrintList(printer, list);
  printer << ']';
}

// `-2`, a hyphen and a number.
ParseResult ParseNumber(AsmParser& parser, int64_t& number) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(number)) return mlir::failure();
  if (number > 0 || number == std::numeric_limits<int64_t>::min())
    return parser.emitError(loc, "expected '-' before a number");
  number = -number;
  return mlir::success();
}

}  // namespace

Attribute EdgeValueRefAttr::parse(AsmParser& parser, mlir::Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word)) return {};
  const std::optional<EdgeNodeType> type = symbolizeEdgeNodeType(word);
  if (!type) {
    parser.emitError(loc, "expected operand or result");
    return {};
  }
  int64_t index = 0;
  if (ParseNumber(parser, index)) return {};
  return get(parser.getContext(), *type, index);
}

void EdgeValueRefAttr::print(AsmPrinter& printer) const {
  printer << stringifyEdgeNodeType(getType()) << '-' << getIndex();
}

Attribute AxisToPropagationDetailsAttr::parse(AsmParser& parser, mlir::Type) {
  AxisRefAttr axis;
  EdgeValueRefAttr source;
  SmallVector<EdgeValueRefAttr> targets;
  if (parser.parseLBrace() || ParseOne(parser, axis) || parser.parseEqual() || ParseOne(parser, source) ||
      parser.parseArrow() || ParseFilled(parser, targets) || parser.parseRBrace()) {
    return {};
  }
  return get(parser.getContext(), axis, source, targets);
}

void AxisToPropagationDetailsAttr::print(AsmPrinter& printer) const {
  printer << '{';
  getAxisName().print(printer);
  printer << " = ";
  getSource().print(printer);
  printer << " -> ";
  PrintFilled(printer, getTargets());
  printer << '}';
}

Attribute PropagationOneStepAttr::parse(AsmParser& parser, mlir::Type) {
  int64_t step = 0;
  SmallVector<AxisToPropagationDetailsAttr> entries;
  if (parser.parseLBrace() || parser.parseKeyword("step") || ParseNumber(parser, step) || parser.parseEqual() ||
      ParseFilled(parser, entries) || parser.parseRBrace()) {
    return {};
  }
  return get(parser.getContext(), step, entries);
}

void PropagationOneStepAttr::print(AsmPrinter& printer) const {
  printer << "{step-" << getStepIndex() << " = ";
  PrintFilled(printer, getAxisEntries());
  printer << '}';
}

Attribute PropagationEdgesAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<PropagationOneStepAttr> steps;
  if (parser.parseLess() || ParseFilled(parser, steps) || parser.parseGreater()) return {};
  return get(parser.getContext(), steps);
}

void PropagationEdgesAttr::print(AsmPrinter& printer) const {
  printer << '<';
  PrintFilled(printer, getValue());
  printer << '>';
}

}  // namespace opbyop::sdy
