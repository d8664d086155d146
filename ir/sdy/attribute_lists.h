// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses lists of sdy attributes inside the text of other attributes.
//
//   llvm::SmallVector<AxisRefAttr> axes;
//   if (ParseList(parser, mlir::AsmParser::Delimiter::Braces, axes)) return {};
#ifndef OPBYOP_IR_SDY_ATTRIBUTE_LISTS_H_
#define OPBYOP_IR_SDY_ATTRIBUTE_LISTS_H_

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/OpImplementation.h"

namespace opbyop::sdy {

// Parses an attribute, with or without `#sdy.x` before it.
template <typename T>
mlir::ParseResult ParseOne(mlir::AsmParser& parser, T& attribute) {
  return parser.parseCustomAttributeWithFallback(attribute, {}, [&](mlir::Attribute& parsed, mlir::Type type) {
    parsed = T::parse(parser, type);
    return mlir::success(parsed != nullptr);
  });
}

// Parses one attribute and appends it.
template <typename T>
mlir::ParseResult ParseOne(mlir::AsmParser& parser, llvm::SmallVector<T>& list) {
  return ParseOne(parser, list.emplace_back());
}

template <typename T>
mlir::ParseResult ParseList(mlir::AsmParser& parser, mlir::AsmParser::Delimiter delimiter, llvm::SmallVector<T>& list) {
  return parser.parseCommaSeparatedList(delimiter, [&] { return ParseOne(parser, list); });
}

template <typename T>
void PrintList(mlir::AsmPrinter& printer, llvm::ArrayRef<T> list) {
  llvm::interleaveComma(list, printer, [&](T element) { element.print(printer); });
}

}  // namespace opbyop::sdy

#endif  // OPBYOP_IR_SDY_ATTRIBUTE_LISTS_H_
