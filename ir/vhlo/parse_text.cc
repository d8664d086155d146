// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/parse_text.h"

#include <string>

#include "ir/vhlo/attribute_texts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::vhlo {
namespace {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::AsmParser;
using mlir::Attribute;
using mlir::DialectAsmParser;
using mlir::failed;
using mlir::failure;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;
using Delimiter = AsmParser::Delimiter;

Attribute FromText(DialectAsmParser& parser, const std::string& text) {
  Attribute attribute = mlir::parseAttribute(text, parser.getContext());
  if (!attribute) parser.emitError(parser.getNameLoc()) << text << " is not an attribute that this reader knows";
  return attribute;
}

Type TypeFromText(DialectAsmParser& parser, const std::string& text) {
  Type type = mlir::parseType(text, parser.getContext());
  if (!type) parser.emitError(parser.getNameLoc()) << text << " is not a type that this reader knows";
  return type;
}

// `<`, the parts, `>`.
ParseResult ParseParts(AsmParser& parser, llvm::function_ref<ParseResult()> parts) {
  return failure(parser.parseLess() || parts() || parser.parseGreater());
}

// `NAME = VALUE`
ParseResult ParseNamed(AsmParser& parser, StringRef name, llvm::function_ref<ParseResult()> value) {
  return failure(parser.parseKeyword(name) || parser.parseEqual() || value());
}

template <typename T>
ParseResult ParseNamedAttribute(AsmParser& parser, StringRef name, T& value) {
  return ParseNamed(parser, name, [&] { return parser.parseAttribute(value); });
}

// `[16, ?]`
ParseResult ParseIntegers(AsmParser& parser, SmallVector<int64_t>& values) {
  return parser.parseCommaSeparatedList(Delimiter::Square, [&]() -> ParseResult {
    int64_t& value = values.emplace_back(mlir::ShapedType::kDynamic);
    return succeeded(parser.parseOptionalQuestion()) ? success() : parser.parseInteger(value);
  });
}

ParseResult ParseNamedIntegers(AsmParser& parser, StringRef name, SmallVector<int64_t>& values) {
  return ParseNamed(parser, name, [&] { return ParseIntegers(parser, values); });
}

ParseResult ParseNamedInteger(AsmParser& parser, StringRef name, int64_t& value) {
  return ParseNamed(parser, name, [&] { return parser.parseInteger(value); });
}

// `dict_v1<{#vhlo.string_v1<"a"> = #vhlo.integer_v1<1 : i64>}>`
Attribute ParseDictionary(DialectAsmParser& parser) {
  mlir::NamedAttrList list;
  const auto entry = [&]() -> ParseResult {
    mlir::StringAttr name;
    Attribute value;
    if (parser.parseAttribute(name) || parser.parseEqual() || parser.parseAttribute(value)) return failure();
    if (name.empty()) return parser.emitError(parser.getNameLoc(), "a name in a dictionary is empty");
    list.append(name, value);
    return success();
  };
  if (ParseParts(parser, [&] { return parser.parseCommaSeparatedList(Delimiter::Braces, entry); })) return {};
  if (const auto twice = list.findDuplicate()) {
    parser.emitError(parser.getNameLoc()) << "a dictionary holds " << twice->getName() << " twice";
    return {};
  }
  return list.getDictionary(parser.getContext());
}

Attribute ParseResultAccuracy(DialectAsmParser& parser) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  Attribute mode;
  if (ParseParts(parser, [&] {
        return failure(ParseNamed(parser, "atol", [&] { return parser.parseFloat(atol); }) || parser.parseComma() ||
                       ParseNamed(parser, "rtol", [&] { return parser.parseFloat(rtol); }) || parser.parseComma() ||
                       ParseNamedInteger(parser, "ulps", ulps) || parser.parseComma() ||
                       ParseNamedAttribute(parser, "mode", mode));
      })) {
    return {};
  }
  mlir::Builder builder(parser.getContext());
  return FromText(parser, ResultAccuracyText(builder.getF64FloatAttr(atol), builder.getF64FloatAttr(rtol), ulps, mode));
}

Attribute ParseOutputOperandAlias(DialectAsmParser& parser) {
  SmallVector<int64_t> output, operand_tuple;
  int64_t operand = 0;
  if (ParseParts(parser, [&] {
        return failure(ParseNamedIntegers(parser, "outputTupleIndices", output) || parser.parseComma() ||
                       ParseNamedInteger(parser, "operandIndex", operand) || parser.parseComma() ||
                       ParseNamedIntegers(parser, "operandTupleIndices", operand_tuple));
      })) {
    return {};
  }
  return FromText(parser, OutputOperandAliasText(output, operand, operand_tuple));
}

Attribute ParseTypeExtensions(DialectAsmParser& parser) {
  SmallVector<int64_t> bounds;
  if (ParseParts(parser, [&] { return ParseNamedIntegers(parser, "bounds", bounds); })) return {};
  return FromText(parser, BoundsText(bounds));
}

Attribute ParseSubAxisInfo(DialectAsmParser& parser) {
  int64_t pre_size = 0, size = 0;
  if (ParseParts(parser, [&] {
        return failure(ParseNamedInteger(parser, "pre_size", pre_size) || parser.parseComma() ||
                       ParseNamedInteger(parser, "size", size));
      })) {
    return {};
  }
  return mlir::DenseI64ArrayAttr::get(parser.getContext(), {pre_size, size});
}

Attribute ParseAxisRef(DialectAsmParser& parser) {
  mlir::StringAttr name;
  mlir::DenseI64ArrayAttr sub_axis;
  if (ParseParts(parser, [&]() -> ParseResult {
        if (ParseNamedAttribute(parser, "name", name) || failed(parser.parseOptionalComma())) return failure(!name);
        return ParseNamedAttribute(parser, "sub_axis_info", sub_axis);
      })) {
    return {};
  }
  return FromText(parser, AxisRefText(name, sub_axis));
}

Attribute ParseReplicaGroupMeshAxes(DialectAsmParser& parser) {
  Attribute mesh, axes;
  if (ParseParts(parser, [&] {
        return failure(ParseNamedAttribute(parser, "mesh", mesh) || parser.parseComma() ||
                       ParseNamedAttribute(parser, "axes", axes));
      })) {
    return {};
  }
  return FromText(parser, ReplicaGroupMeshAxesText(mesh, axes));
}

// The body of `#vhlo<comparison_direction_v1 EQ>` after its first word.
Attribute ParseEnum(DialectAsmParser& parser, StringRef name) {
  StringRef value;
  if (parser.parseKeyword(&value)) return {};
  if (name == "result_accuracy_mode") return FromText(parser, ("#stablehlo.result_accuracy_mode<" + value + ">").str());
  if (name != "api_version") return FromText(parser, ("#stablehlo<" + name + " " + value + ">").str());
  // The api_version of a custom call is an integer in StableHLO.
  const int version = llvm::StringSwitch<int>(value)
                          .Case("API_VERSION_UNSPECIFIED", 0)
                          .Case("API_VERSION_ORIGINAL", 1)
                          .Case("API_VERSION_STATUS_RETURNING", 2)
                          .Case("API_VERSION_STATUS_RETURNING_UNIFIED", 3)
                          .Case("API_VERSION_TYPED_FFI", 4)
                          .Default(-1);
  if (version >= 0) return mlir::Builder(parser.getContext()).getI32IntegerAttr(version);
  parser.emitError(parser.getNameLoc()) << value << " is not an API version of a custom call";
  return {};
}

// `<ATTRIBUTE>`
Attribute ParseInner(DialectAsmParser& parser) {
  Attribute inner;
  return ParseParts(parser, [&] { return parser.parseAttribute(inner); }) ? Attribute() : inner;
}

ParseResult ParseTypes(AsmParser& parser, Delimiter delimiter, SmallVector<Type>& types) {
  return parser.parseCommaSeparatedList(delimiter, [&] { return parser.parseType(types.emplace_back()); });
}

// `<4x?x!vhlo.f32_v1>`, with an encoding after a comma.
ParseResult ParseShaped(AsmParser& parser, SmallVector<int64_t>& shape, Type& element, Attribute& encoding) {
  return ParseParts(parser, [&]() -> ParseResult {
    if (parser.parseDimensionList(shape) || parser.parseType(element)) return failure();
    return succeeded(parser.parseOptionalComma()) ? parser.parseAttribute(encoding) : success();
  });
}

// `<(A, B) -> C>`, `<() -> (A, B)>`
Type ParseFunctionType(DialectAsmParser& parser) {
  SmallVector<Type> inputs, results;
  if (ParseParts(parser, [&]() -> ParseResult {
        if (ParseTypes(parser, Delimiter::Paren, inputs) || parser.parseArrow()) return failure();
        Type only;
        const mlir::OptionalParseResult one = parser.parseOptionalType(only);
        if (!one.has_value()) return ParseTypes(parser, Delimiter::Paren, results);
        results.push_back(only);
        return *one;
      })) {
    return {};
  }
  return mlir::FunctionType::get(parser.getContext(), inputs, results);
}

ParseResult ParseDoubles(AsmParser& parser, SmallVector<double>& values) {
  return parser.parseCommaSeparatedList(Delimiter::Square, [&] { return parser.parseFloat(values.emplace_back()); });
}

// `<STORAGE:EXPRESSED, SCALE:ZERO_POINT, MIN:MAX, FLAGS>`, and with an axis `AXIS, [SCALES], [ZERO_POINTS]` in place of
// the scale and the zero point.
Type ParseQuantized(DialectAsmParser& parser, bool per_axis) {
  Type storage, expressed;
  SmallVector<double> scales(per_axis ? 0 : 1);
  SmallVector<int64_t> zero_points(per_axis ? 0 : 1);
  int64_t min = 0, max = 0;
  int32_t axis = 0;
  uint32_t flags = 0;
  const auto scale = [&]() -> ParseResult {
    if (!per_axis) {
      return failure(parser.parseFloat(scales[0]) || parser.parseColon() || parser.parseInteger(zero_points[0]));
    }
    return failure(parser.parseInteger(axis) || parser.parseComma() || ParseDoubles(parser, scales) ||
                   parser.parseComma() || ParseIntegers(parser, zero_points));
  };
  if (ParseParts(parser, [&] {
        return failure(parser.parseType(storage) || parser.parseColon() || parser.parseType(expressed) ||
                       parser.parseComma() || scale() || parser.parseComma() || parser.parseInteger(min) ||
                       parser.parseColon() || parser.parseInteger(max) || parser.parseComma() ||
                       parser.parseInteger(flags));
      })) {
    return {};
  }
  const auto report = [&] { return parser.emitError(parser.getNameLoc()); };
  if (per_axis) {
    return mlir::quant::UniformQuantizedPerAxisType::getChecked(report, flags, storage, expressed, scales, zero_points,
                                                                axis, min, max);
  }
  return mlir::quant::UniformQuantizedType::getChecked(report, flags, storage, expressed, scales[0], zero_points[0],
                                                       min, max);
}

Type ParseFuture(DialectAsmParser& parser) {
  SmallVector<Type> types;
  return ParseTypes(parser, Delimiter::LessGreater, types) ? Type() : TypeFromText(parser, FutureText(types));
}

// The part of `tensor_v1` before the version. Reports any other word.
std::optional<StringRef> ParseVersioned(DialectAsmParser& parser) {
  StringRef word;
  if (parser.parseKeyword(&word)) return std::nullopt;
  const auto [name, version] = word.rsplit("_v");
  if (version == "1") return name;
  parser.emitError(parser.getNameLoc()) << word << " is no part of VHLO that this reader knows";
  return std::nullopt;
}

}  // namespace

bool IsVhloText(StringRef text) { return text.contains("vhlo.func_v") || text.contains("\"vhlo."); }

Attribute ParseAttribute(DialectAsmParser& parser) {
  const std::optional<StringRef> name = ParseVersioned(parser);
  if (!name) return {};
  using Parse = Attribute (*)(DialectAsmParser&);
  const Parse parse =
      llvm::StringSwitch<Parse>(*name)
          .Cases({"array", "bool", "float", "integer", "string", "tensor"}, &ParseInner)
          .Case("axis_ref", &ParseAxisRef)
          .Case("dict", &ParseDictionary)
          .Case("output_operand_alias", &ParseOutputOperandAlias)
          .Case("replica_group_mesh_axes", &ParseReplicaGroupMeshAxes)
          .Case("result_accuracy", &ParseResultAccuracy)
          .Case("sub_axis_info", &ParseSubAxisInfo)
          .Case(
              "type",
              +[](DialectAsmParser& p) -> Attribute {
                Type type;
                return ParseParts(p, [&] { return p.parseType(type); }) ? Attribute() : mlir::TypeAttr::get(type);
              })
          .Case("type_extensions", &ParseTypeExtensions)
          .Default(nullptr);
  return parse != nullptr ? parse(parser) : ParseEnum(parser, *name);
}

Type ParseType(DialectAsmParser& parser) {
  const std::optional<StringRef> name = ParseVersioned(parser);
  if (!name) return {};
  const auto report = [&] { return parser.emitError(parser.getNameLoc()); };
  SmallVector<int64_t> shape;
  SmallVector<Type> types;
  Type element;
  Attribute encoding;
  if (*name == "tensor") {
    if (ParseShaped(parser, shape, element, encoding)) return {};
    return mlir::RankedTensorType::getChecked(report, shape, element, encoding);
  }
  if (*name == "buffer") {
    if (ParseShaped(parser, shape, element, encoding)) return {};
    return mlir::MemRefType::getChecked(report, shape, element, mlir::MemRefLayoutAttrInterface(), Attribute());
  }
  if (*name == "complex" || *name == "unranked_tensor") {
    if (ParseParts(parser, [&] { return parser.parseType(element); })) return {};
    if (*name == "complex") return mlir::ComplexType::getChecked(report, element);
    return mlir::UnrankedTensorType::getChecked(report, element);
  }
  if (*name == "tuple") {
    if (ParseTypes(parser, Delimiter::LessGreater, types)) return {};
    return mlir::TupleType::get(parser.getContext(), types);
  }
  if (*name == "func") return ParseFunctionType(parser);
  if (*name == "future") return ParseFuture(parser);
  if (*name == "quant" || *name == "quant_per_axis") return ParseQuantized(parser, *name == "quant_per_axis");
  if (*name == "token") return TypeFromText(parser, "!stablehlo.token");
  if (*name == "bool") return mlir::IntegerType::get(parser.getContext(), 1);
  if (*name == "tf31") return mlir::FloatTF32Type::get(parser.getContext());  // its name in VHLO
  return TypeFromText(parser, name->str());
}

ParseResult ParseFunction(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  mlir::StringAttr name;
  SmallVector<mlir::OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  if (parser.parseSymbolName(name) ||
      parser.parseArgumentList(arguments, Delimiter::Paren, /*allowType=*/true, /*allowAttrs=*/false)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalArrow()) && ParseTypes(parser, Delimiter::Paren, results)) return failure();
  mlir::NamedAttrList attributes;
  if (parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(attributes)) return failure();
  const auto inputs = llvm::map_to_vector(arguments, [](const auto& argument) { return argument.type; });
  mlir::Builder builder(parser.getContext());
  attributes.set("sym_name", name);
  attributes.set("function_type", mlir::TypeAttr::get(builder.getFunctionType(inputs, results)));
  for (const char* list : {"arg_attrs", "res_attrs"}) {
    if (!attributes.get(list)) attributes.set(list, builder.getArrayAttr({}));
  }
  if (!attributes.get("sym_visibility")) attributes.set("sym_visibility", builder.getStringAttr(""));
  state.addAttributes(attributes);
  return success();
}

}  // namespace opbyop::vhlo
