// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses and prints sharding rules, which say how an op's dimensions correspond, by factors i, j, .., z, z_1, z_2, ...
#include "ir/sdy/attribute_lists.h"
#include "ir/sdy/sdy.h"

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

constexpr int64_t kLetters = 'z' - 'i' + 1;

void PrintFactor(AsmPrinter& printer, int64_t factor) {
  if (factor < kLetters) {
    printer << static_cast<char>('i' + factor);
  } else {
    printer << "z_" << factor - kLetters + 1;
  }
}

// Removes the factor at the front of `text`, which may contain several, as in "ijz_1".
std::optional<int64_t> TakeFactor(StringRef& text) {
  if (text.empty() || text.front() < 'i' || text.front() > 'z') return std::nullopt;
  int64_t factor = text.front() - 'i';
  text = text.drop_front();
  if (factor != kLetters - 1 || !text.consume_front("_")) return factor;
  int64_t beyond = 0;
  if (text.consumeInteger(10, beyond) || beyond < 1) return std::nullopt;
  return factor + beyond;
}

ParseResult ParseFactors(AsmParser& parser, SmallVector<int64_t>& factors) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text)) return failure();
  const StringRef whole = text;
  while (!text.empty()) {
    std::optional<int64_t> factor = TakeFactor(text);
    if (!factor) return parser.emitError(loc) << "'" << whole << "' is no list of factors, expected i to z, or z_1";
    factors.push_back(*factor);
  }
  return success();
}

void PrintFactors(AsmPrinter& printer, llvm::ArrayRef<int64_t> factors) {
  for (int64_t factor : factors) PrintFactor(printer, factor);
}

// Parses `{i=8, j=4}`: the sizes of all factors, in order.
ParseResult ParseFactorSizes(AsmParser& parser, SmallVector<int64_t>& sizes) {
  return parser.parseCommaSeparatedList(Delimiter::OptionalBraces, [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> factor;
    int64_t size = 0;
    if (ParseFactors(parser, factor) || parser.parseEqual() || parser.parseInteger(size)) return failure();
    if (factor.size() != 1 || factor[0] != static_cast<int64_t>(sizes.size())) {
      return parser.emitError(loc, "sizes of factors are given in order: {i=.., j=.., k=..}");
    }
    sizes.push_back(size);
    return success();
  });
}

// Parses an optional group of factors such as ` reduction={k}`.
ParseResult ParseFactorGroup(AsmParser& parser, StringRef name, SmallVector<int64_t>& factors) {
  if (failed(parser.parseOptionalKeyword(name))) return success();
  if (parser.parseEqual()) return failure();
  return parser.parseCommaSeparatedList(Delimiter::Braces, [&] { return ParseFactors(parser, factors); });
}

void PrintFactorGroup(AsmPrinter& printer, StringRef name, llvm::ArrayRef<int64_t> factors) {
  if (factors.empty()) return;
  printer << ' ' << name << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) { PrintFactor(printer, factor); });
  printer << '}';
}

}  // namespace

Attribute DimMappingAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<int64_t> factors;
  if (ParseFactors(parser, factors)) return {};
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter& printer) const { PrintFactors(printer, getFactorIndices()); }

Attribute TensorMappingAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<DimMappingAttr> dims;
  if (ParseList(parser, Delimiter::Square, dims)) return {};
  return get(parser.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter& printer) const {
  printer << '[';
  PrintList(printer, getDimMappings());
  printer << ']';
}

Attribute OpShardingRuleAttr::parse(AsmParser& parser, mlir::Type) {
  SmallVector<TensorMappingAttr> operands;
  SmallVector<TensorMappingAttr> results;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> reduction;
  SmallVector<int64_t> replication;
  SmallVector<int64_t> permutation;
  SmallVector<int64_t> blocked;
  if (parser.parseLess() || ParseList(parser, Delimiter::Paren, operands) || parser.parseArrow() ||
      ParseList(parser, Delimiter::Paren, results) || ParseFactorSizes(parser, sizes) ||
      ParseFactorGroup(parser, "reduction", reduction) || ParseFactorGroup(parser, "need_replication", replication) ||
      ParseFactorGroup(parser, "permutation", permutation) ||
      ParseFactorGroup(parser, "blocked_propagation", blocked)) {
    return {};
  }
  const bool is_custom = succeeded(parser.parseOptionalComma());
  if ((is_custom && parser.parseKeyword("custom")) || parser.parseGreater()) return {};
  return get(parser.getContext(), sizes, operands, results, reduction, replication, permutation, blocked, is_custom);
}

void OpShardingRuleAttr::print(AsmPrinter& printer) const {
  printer << "<(";
  PrintList(printer, getOperandMappings());
  printer << ")->(";
  PrintList(printer, getResultMappings());
  printer << ')';
  if (!getFactorSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(llvm::enumerate(getFactorSizes()), printer, [&](auto factor) {
      PrintFactor(printer, static_cast<int64_t>(factor.index()));
      printer << '=' << factor.value();
    });
    printer << '}';
  }
  PrintFactorGroup(printer, "reduction", getReductionFactors());
  PrintFactorGroup(printer, "need_replication", getNeedReplicationFactors());
  PrintFactorGroup(printer, "permutation", getPermutationFactors());
  PrintFactorGroup(printer, "blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustomRule()) printer << ", custom";
  printer << '>';
}

}  // namespace opbyop::sdy
