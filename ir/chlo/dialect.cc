// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CHLO dialect itself and its attributes.
#include "ir/chlo/chlo.h"
#include "ir/chlo/enums.cc.inc"
#include "ir/stablehlo/assembly.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#define GET_ATTRDEF_CLASSES
#include "ir/chlo/attributes.cc.inc"

namespace opbyop::chlo {

using llvm::StringRef;
using Dims = llvm::SmallVector<int64_t>;

namespace {

constexpr StringRef kFields[] = {"lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
                                 "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};

}  // namespace

// `<lhs_batching_dimensions = [0], ..>` in any order; absent lists are empty.
mlir::Attribute RaggedDotDimensionNumbersAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  Dims lists[std::size(kFields)];
  auto parse_field = [&]() -> mlir::ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name)) return mlir::failure();
    const StringRef* field = llvm::find(kFields, name);
    if (field == std::end(kFields))
      return parser.emitError(loc) << "'" << name << "' is no field of ragged dot dimension numbers";
    return mlir::failure(parser.parseEqual() || stablehlo::ParseDims(parser, lists[field - kFields]));
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater, parse_field)) return {};
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
}

void RaggedDotDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  llvm::ArrayRef<int64_t> lists[] = {getLhsBatchingDimensions(),    getRhsBatchingDimensions(),
                                     getLhsContractingDimensions(), getRhsContractingDimensions(),
                                     getLhsRaggedDimensions(),      getRhsGroupDimensions()};
  printer << '<';
  llvm::interleaveComma(llvm::zip(kFields, lists), printer, [&](auto field) {
    printer << std::get<0>(field) << " = ";
    stablehlo::PrintDims(printer, std::get<1>(field));
  });
  printer << '>';
}

std::optional<RaggedNumbers> RaggedNumbersOf(mlir::Attribute attribute) {
  if (const auto own = llvm::dyn_cast_or_null<RaggedDotDimensionNumbersAttr>(attribute)) {
    return RaggedNumbers{own.getLhsBatchingDimensions(),    own.getRhsBatchingDimensions(),
                         own.getLhsContractingDimensions(), own.getRhsContractingDimensions(),
                         own.getLhsRaggedDimensions(),      own.getRhsGroupDimensions()};
  }
  RaggedNumbers numbers;
  std::vector<int64_t>* const lists[] = {&numbers.lhs_batching,    &numbers.rhs_batching, &numbers.lhs_contracting,
                                         &numbers.rhs_contracting, &numbers.lhs_ragged,   &numbers.rhs_group};
  const auto array = llvm::dyn_cast_or_null<mlir::ArrayAttr>(attribute);
  if (!array || array.size() != std::size(lists)) return std::nullopt;
  for (auto [list, each] : llvm::zip_equal(lists, array)) {
    const auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(each);
    if (!elements) return std::nullopt;
    for (const llvm::APInt& value : elements.getValues<llvm::APInt>()) list->push_back(value.getSExtValue());
  }
  return numbers;
}

void ChloDialect::RegisterAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/chlo/attributes.cc.inc"
      >();
}

void ChloDialect::initialize() {
  RegisterAttributes();
  RegisterBroadcastOps();
  RegisterOps();
  RegisterBytecode();
}

}  // namespace opbyop::chlo

#include "ir/chlo/dialect.cc.inc"
