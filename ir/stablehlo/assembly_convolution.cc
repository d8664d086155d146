// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Assembly directives for the dimension numbers and the window of a convolution.
#include <array>

#include "ir/stablehlo/assembly.h"

namespace opbyop::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::DenseI64ArrayAttr;
using mlir::failure;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::success;

namespace {

// One bracket of `[b, 0, 1, f]`: the tensor dimension of each letter and of each spatial number. `?` marks a dimension
// that is not used.
struct Bracket {
  std::array<int64_t, 2> letters = {-1, -1};
  llvm::SmallVector<int64_t> spatial;
};

ParseResult ParseBracket(AsmParser& parser, std::array<char, 2> letters, Bracket& bracket) {
  llvm::SMLoc start = parser.getCurrentLocation();
  llvm::SmallVector<std::pair<int64_t, int64_t>> numbers;
  int64_t position = 0;
  auto parse_one = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    int64_t dimension = position++;
    if (succeeded(parser.parseOptionalQuestion())) return success();
    int64_t number = 0;
    mlir::OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      if (failed(*parsed)) return failure();
      numbers.push_back({number, dimension});
      return success();
    }
    llvm::StringRef keyword;
    if (parser.parseKeyword(&keyword)) return failure();
    for (size_t i = 0; i < letters.size(); ++i) {
      if (keyword != llvm::StringRef(&letters[i], 1)) continue;
      if (bracket.letters[i] != -1) return parser.emitError(loc) << "dimension '" << letters[i] << "' is given twice";
      bracket.letters[i] = dimension;
      return success();
    }
    return parser.emitError(loc) << "expected a spatial dimension number, '" << letters[0] << "' or '" << letters[1]
                                 << "', found '" << keyword << "'";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_one)) return failure();
  for (size_t i = 0; i < letters.size(); ++i)
    if (bracket.letters[i] == -1) return parser.emitError(start) << "dimension '" << letters[i] << "' is missing";
  bracket.spatial.assign(numbers.size(), -1);
  for (auto [number, dimension] : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(numbers.size()))
      return parser.emitError(start) << "spatial dimension " << number << " is out of range for " << numbers.size()
                                     << " spatial dimensions";
    if (bracket.spatial[number] != -1)
      return parser.emitError(start) << "spatial dimension " << number << " is given twice";
    bracket.spatial[number] = dimension;
  }
  return success();
}

void PrintBracket(AsmPrinter& printer, std::array<char, 2> letters, const Bracket& bracket) {
  int64_t size = 0;
  for (int64_t dimension : bracket.letters) size = std::max(size, dimension + 1);
  for (int64_t dimension : bracket.spatial) size = std::max(size, dimension + 1);
  auto print_one = [&](int64_t dimension) {
    for (size_t i = 0; i < letters.size(); ++i)
      if (bracket.letters[i] == dimension) {
        printer << letters[i];
        return;
      }
    const auto* found = llvm::find(bracket.spatial, dimension);
    if (found == bracket.spatial.end())
      printer << '?';
    else
      printer << found - bracket.spatial.begin();
  };
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(size), printer, print_one);
  printer << ']';
}

template <typename Values>
ParseResult ParseIntegers(OpAsmParser& parser, Values& values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&]() -> ParseResult { return parser.parseInteger(values.emplace_back()); });
}

ParseResult ParsePadding(OpAsmParser& parser, mlir::DenseIntElementsAttr& padding) {
  llvm::SmallVector<int64_t> values;
  auto parse_pair = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    size_t before = values.size();
    if (ParseIntegers(parser, values)) return failure();
    if (values.size() != before + 2)
      return parser.emitError(loc) << "expected a pair of low and high padding, found " << values.size() - before
                                   << " numbers";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_pair)) return failure();
  auto type =
      mlir::RankedTensorType::get({static_cast<int64_t>(values.size()) / 2, 2}, parser.getBuilder().getI64Type());
  padding = mlir::DenseIntElementsAttr::get(type, values);
  return success();
}

ParseResult ParseReversal(OpAsmParser& parser, mlir::DenseBoolArrayAttr& reversal) {
  llvm::SmallVector<bool> values;
  auto parse_one = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      values.push_back(true);
      return success();
    }
    if (succeeded(parser.parseOptionalKeyword("false"))) {
      values.push_back(false);
      return success();
    }
    int64_t number = 0;
    if (parser.parseInteger(number)) return failure();
    values.push_back(number != 0);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_one)) return failure();
  reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

}  // namespace

ParseResult parseConvolutionDimensions(AsmParser& parser, ConvDimensionNumbersAttr& numbers) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Bracket input, kernel, output;
  if (ParseBracket(parser, {'b', 'f'}, input) || parser.parseKeyword("x") || ParseBracket(parser, {'i', 'o'}, kernel) ||
      parser.parseArrow() || ParseBracket(parser, {'b', 'f'}, output))
    return failure();
  if (input.spatial.size() != kernel.spatial.size() || input.spatial.size() != output.spatial.size())
    return parser.emitError(loc) << "expected as many spatial dimensions in the input (" << input.spatial.size()
                                 << ") as in the kernel (" << kernel.spatial.size() << ") and the output ("
                                 << output.spatial.size() << ")";
  numbers = ConvDimensionNumbersAttr::get(parser.getContext(), input.letters[0], input.letters[1], input.spatial,
                                          kernel.letters[0], kernel.letters[1], kernel.spatial, output.letters[0],
                                          output.letters[1], output.spatial);
  return success();
}

void printConvolutionDimensions(AsmPrinter& printer, ConvDimensionNumbersAttr numbers) {
  auto print = [&](std::array<char, 2> letters, int64_t first, int64_t second, llvm::ArrayRef<int64_t> spatial) {
    PrintBracket(printer, letters, {{first, second}, llvm::SmallVector<int64_t>(spatial)});
  };
  print({'b', 'f'}, numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
        numbers.getInputSpatialDimensions());
  printer << 'x';
  print({'i', 'o'}, numbers.getKernelInputFeatureDimension(), numbers.getKernelOutputFeatureDimension(),
        numbers.getKernelSpatialDimensions());
  printer << "->";
  print({'b', 'f'}, numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
        numbers.getOutputSpatialDimensions());
}

void printConvolutionDimensions(OpAsmPrinter& printer, Operation*, ConvDimensionNumbersAttr numbers) {
  printConvolutionDimensions(printer, numbers);
}

ParseResult parseWindowAttributes(OpAsmParser& parser, DenseI64ArrayAttr& strides, mlir::DenseIntElementsAttr& padding,
                                  DenseI64ArrayAttr& lhs_dilation, DenseI64ArrayAttr& rhs_dilation,
                                  mlir::DenseBoolArrayAttr& reversal) {
  llvm::SmallVector<llvm::StringRef> seen;
  while (true) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef key;
    if (failed(parser.parseOptionalKeyword(&key))) return success();
    if (llvm::is_contained(seen, key)) return parser.emitError(loc) << "window key '" << key << "' is given twice";
    seen.push_back(key);
    if (parser.parseEqual()) return failure();
    llvm::SmallVector<int64_t> values;
    if (key == "pad") {
      if (ParsePadding(parser, padding)) return failure();
    } else if (key == "reverse") {
      if (ParseReversal(parser, reversal)) return failure();
    } else if (key == "stride" || key == "lhs_dilate" || key == "rhs_dilate") {
      if (ParseIntegers(parser, values)) return failure();
      auto attribute = parser.getBuilder().getDenseI64ArrayAttr(values);
      (key == "stride" ? strides : key == "lhs_dilate" ? lhs_dilation : rhs_dilation) = attribute;
    } else {
      return parser.emitError(loc) << "expected stride, pad, lhs_dilate, rhs_dilate or reverse, "
                                      "found '"
                                   << key << "'";
    }
    if (failed(parser.parseOptionalComma())) return success();
  }
}

void printWindowAttributes(OpAsmPrinter& printer, Operation*, DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, DenseI64ArrayAttr lhs_dilation,
                           DenseI64ArrayAttr rhs_dilation, mlir::DenseBoolArrayAttr reversal) {
  bool first = true;
  auto key = [&](llvm::StringRef name) -> OpAsmPrinter& {
    if (!first) printer << ", ";
    first = false;
    printer << name << " = ";
    return printer;
  };
  if (strides) PrintDims(key("stride"), strides.asArrayRef());
  if (padding) {
    key("pad") << '[';
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      if (i != 0) printer << ", ";
      printer << '[' << values[i] << ", " << values[i + 1] << ']';
    }
    printer << ']';
  }
  if (lhs_dilation) PrintDims(key("lhs_dilate"), lhs_dilation.asArrayRef());
  if (rhs_dilation) PrintDims(key("rhs_dilate"), rhs_dilation.asArrayRef());
  if (reversal) {
    key("reverse") << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) { printer << (value ? "true" : "false"); });
    printer << ']';
  }
}

}  // namespace opbyop::stablehlo
