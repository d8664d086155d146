// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/stablehlo_attributes.h"

#include <functional>
#include <string>

#include "llvm/ADT/StringExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::vhlo {
namespace {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::Attribute;
using mlir::DenseIntElementsAttr;
using mlir::failure;
using mlir::LogicalResult;
using mlir::NamedAttrList;
using mlir::Operation;
using mlir::success;

std::string AttributeText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto array = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(attribute)) {
    os << "[";
    llvm::interleaveComma(array.asArrayRef(), os);
    os << "]";
  } else if (auto type = llvm::dyn_cast_or_null<mlir::TypeAttr>(attribute)) {
    os << type.getValue();
  } else if (attribute) {
    attribute.print(os, /*elideType=*/true);
  }
  return text;
}

bool IsEmpty(Attribute value) {
  if (auto text = llvm::dyn_cast<mlir::StringAttr>(value)) return text.empty();
  if (auto array = llvm::dyn_cast<mlir::ArrayAttr>(value)) return array.empty();
  if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value)) return dictionary.empty();
  if (auto tensor = llvm::dyn_cast<mlir::ElementsAttr>(value)) return tensor.empty();
  return false;
}

bool IsZero(Attribute value) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value)) return integer.getValue().isZero();
  if (auto tensor = llvm::dyn_cast<DenseIntElementsAttr>(value)) {
    return tensor.isSplat() ? tensor.getSplatValue<llvm::APInt>().isZero()
                            : llvm::all_of(tensor, [](const llvm::APInt& v) { return v.isZero(); });
  }
  return false;
}

bool IsDefault(Attribute value) {
  std::string text = AttributeText(value);
  return text == "#stablehlo<comparison_type NOTYPE>" || text == "#stablehlo<precision DEFAULT>" ||
         text == "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>";
}

Attribute Symbol(Attribute value) {
  auto text = llvm::dyn_cast<mlir::StringAttr>(value);
  return text ? mlir::FlatSymbolRefAttr::get(text) : value;
}

Attribute Symbols(mlir::ArrayAttr value) {
  return mlir::ArrayAttr::get(value.getContext(), llvm::map_to_vector(value, Symbol));
}

// Converts an integer tensor to array<i64: ..>. Returns null for any other attribute.
mlir::DenseI64ArrayAttr IntegerArray(Attribute value) {
  if (auto array = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value)) return array;
  auto tensor = llvm::dyn_cast<DenseIntElementsAttr>(value);
  if (!tensor) return {};
  auto numbers = llvm::map_to_vector(tensor, [](const llvm::APInt& v) { return v.getSExtValue(); });
  return mlir::DenseI64ArrayAttr::get(value.getContext(), numbers);
}

mlir::DenseBoolArrayAttr BooleanArray(Attribute value) {
  auto tensor = llvm::dyn_cast<DenseIntElementsAttr>(value);
  if (!tensor) return {};
  auto flags = llvm::map_to_vector(tensor, [](const llvm::APInt& v) { return !v.isZero(); });
  return mlir::DenseBoolArrayAttr::get(value.getContext(), flags);
}

// Returns StableHLO's form of the value; null if the attribute is absent there. Clears `fits` and returns null if the
// value does not fit the rule.
Attribute Apply(Rule rule, Attribute value, bool& fits) {
  auto array_unless = [&](const std::function<bool(ArrayRef<int64_t>)>& absent) -> Attribute {
    mlir::DenseI64ArrayAttr array = IntegerArray(value);
    fits = static_cast<bool>(array);
    return fits && !absent(array.asArrayRef()) ? array : Attribute();
  };
  switch (rule) {
    case Rule::kKeep:
      return value;
    case Rule::kDrop:
      return {};
    case Rule::kNonEmpty:
      return IsEmpty(value) ? Attribute() : value;
    case Rule::kNonZero:
      return IsZero(value) ? Attribute() : value;
    case Rule::kNonNegative: {
      auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
      return integer && integer.getValue().isAllOnes() ? Attribute() : value;
    }
    case Rule::kUnit:
      return IsZero(value) ? Attribute() : mlir::UnitAttr::get(value.getContext());
    case Rule::kArray:
      return array_unless([](ArrayRef<int64_t>) { return false; });
    case Rule::kArrayNonEmpty:
      return array_unless([](ArrayRef<int64_t> v) { return v.empty(); });
    case Rule::kArrayNonOne:
      return array_unless([](ArrayRef<int64_t> v) { return llvm::all_of(v, [](int64_t n) { return n == 1; }); });
    case Rule::kBoolArray: {
      mlir::DenseBoolArrayAttr array = BooleanArray(value);
      fits = static_cast<bool>(array);
      return fits && llvm::is_contained(array.asArrayRef(), true) ? array : Attribute();
    }
    case Rule::kSymbol:
      fits = llvm::isa<mlir::StringAttr, mlir::SymbolRefAttr>(value);
      return Symbol(value);
    case Rule::kSymbols: {
      auto array = llvm::dyn_cast<mlir::ArrayAttr>(value);
      fits = static_cast<bool>(array);
      return fits && !array.empty() ? Symbols(array) : Attribute();
    }
    case Rule::kPrecisions: {
      auto array = llvm::dyn_cast<mlir::ArrayAttr>(value);
      fits = static_cast<bool>(array);
      return fits && !llvm::all_of(array, IsDefault) ? value : Attribute();
    }
    case Rule::kNonDefault:
      return IsDefault(value) ? Attribute() : value;
    case Rule::kApiVersion: {
      auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
      return integer && integer.getValue() == 1 ? Attribute() : value;
    }
  }
  return value;
}

// Replaces several flat attributes by the struct attribute that they form. The text of the struct is `open` name =
// value,
// .. `>`.
LogicalResult FoldStruct(Operation* op, NamedAttrList& attributes, StringRef target, StringRef open,
                         ArrayRef<std::pair<StringRef, StringRef>> fields) {
  std::string text = open.str();
  bool first = true;
  for (auto [flat, field] : fields) {
    Attribute value = attributes.erase(flat);
    if (!value) continue;
    auto array = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value);
    if (array && array.empty()) continue;
    text += (first ? "" : ", ") + field.str() + " = " + AttributeText(value);
    first = false;
  }
  Attribute parsed = mlir::parseAttribute(text + ">", op->getContext());
  if (!parsed) return op->emitError() << "attribute " << target << " cannot be " << text << ">";
  attributes.set(target, parsed);
  return success();
}

LogicalResult FoldStruct(Operation* op, NamedAttrList& attributes, StringRef target, StringRef open,
                         ArrayRef<StringRef> names) {
  auto fields = llvm::map_to_vector(names, [](StringRef name) { return std::pair(name, name); });
  return FoldStruct(op, attributes, target, open, fields);
}

LogicalResult FoldDot(Operation* op, NamedAttrList& attributes) {
  if (failed(FoldStruct(op, attributes, "dot_dimension_numbers", "#stablehlo.dot<",
                        {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
                         "rhs_contracting_dimensions"}))) {
    return failure();
  }
  constexpr StringRef kAlgorithm[] = {"lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
                                      "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
                                      "allow_imprecise_accumulation"};
  auto type = llvm::dyn_cast_or_null<mlir::TypeAttr>(attributes.get("accumulation_type"));
  if (type && !llvm::isa<mlir::NoneType>(type.getValue())) {
    return FoldStruct(op, attributes, "algorithm", "#stablehlo.dot_algorithm<", kAlgorithm);
  }
  for (StringRef name : kAlgorithm) attributes.erase(name);
  return success();
}

// Writes one bracket of `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
LogicalResult SpellSide(Operation* op, NamedAttrList& attributes, StringRef first, char first_letter, StringRef second,
                        char second_letter, StringRef spatial, std::string& text) {
  auto a = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attributes.erase(first));
  auto b = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attributes.erase(second));
  auto numbers = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(attributes.erase(spatial));
  if (!a || !b || !numbers) return op->emitError() << "lacks " << first << ", " << second << " or " << spatial;
  std::vector<std::string> letters(numbers.size() + 2);
  auto place = [&](int64_t position, std::string letter) {
    bool fits = position >= 0 && position < static_cast<int64_t>(letters.size()) && letters[position].empty();
    if (fits) letters[position] = std::move(letter);
    return fits;
  };
  bool fits = place(a.getInt(), {first_letter}) && place(b.getInt(), {second_letter});
  for (auto [i, position] : llvm::enumerate(numbers.asArrayRef())) fits = fits && place(position, std::to_string(i));
  if (!fits) return op->emitError() << first << ", " << second << " and " << spatial << " do not number dimensions";
  text += "[" + llvm::join(letters, ", ") + "]";
  return success();
}

LogicalResult FoldConvolution(Operation* op, NamedAttrList& attributes) {
  std::string text = "#stablehlo.conv<";
  if (failed(SpellSide(op, attributes, "input_batch_dimension", 'b', "input_feature_dimension", 'f',
                       "input_spatial_dimensions", text))) {
    return failure();
  }
  text += "x";
  if (failed(SpellSide(op, attributes, "kernel_input_feature_dimension", 'i', "kernel_output_feature_dimension", 'o',
                       "kernel_spatial_dimensions", text))) {
    return failure();
  }
  text += "->";
  if (failed(SpellSide(op, attributes, "output_batch_dimension", 'b', "output_feature_dimension", 'f',
                       "output_spatial_dimensions", text))) {
    return failure();
  }
  Attribute parsed = mlir::parseAttribute(text + ">", op->getContext());
  if (!parsed) return op->emitError() << "dimension_numbers cannot be " << text << ">";
  attributes.set("dimension_numbers", parsed);
  return success();
}

// Collectives name a channel only by its handle, and 0 means no channel. send and recv always have a channel, with a
// type.
LogicalResult FoldChannel(Operation* op, NamedAttrList& attributes) {
  bool has_type = static_cast<bool>(attributes.get("channel_type"));
  if (!has_type && IsZero(attributes.get("channel_id"))) {
    attributes.erase("channel_id");
    return success();
  }
  if (!has_type) attributes.set("channel_type", mlir::Builder(op->getContext()).getI64IntegerAttr(0));
  std::pair<StringRef, StringRef> fields[] = {{"channel_id", "handle"}, {"channel_type", "type"}};
  return FoldStruct(op, attributes, "channel_handle", "#stablehlo.channel_handle<", fields);
}

// Layouts of operands and results are given together. If both are empty, the layouts are the default ones.
void FoldLayouts(NamedAttrList& attributes) {
  auto is_absent = [&](StringRef name) { return !attributes.get(name) || IsEmpty(attributes.get(name)); };
  if (!is_absent("operand_layouts") || !is_absent("result_layouts")) return;
  attributes.erase("operand_layouts");
  attributes.erase("result_layouts");
}

LogicalResult FoldStructs(StringRef stem, Operation* op, NamedAttrList& attributes) {
  if (attributes.get("channel_id") && failed(FoldChannel(op, attributes))) return failure();
  if (stem == "custom_call") FoldLayouts(attributes);
  if (stem == "convolution" || stem == "dynamic_conv") return FoldConvolution(op, attributes);
  if (stem == "dot_general") return FoldDot(op, attributes);
  if (stem == "gather" || stem == "dynamic_gather") {
    return FoldStruct(op, attributes, "dimension_numbers", "#stablehlo.gather<",
                      {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
                       "start_index_map", "index_vector_dim"});
  }
  if (stem == "scatter") {
    return FoldStruct(op, attributes, "scatter_dimension_numbers", "#stablehlo.scatter<",
                      {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim"});
  }
  return success();
}

}  // namespace

LogicalResult StablehloAttributes(const VhloOp& entry, Operation* op, NamedAttrList& attributes) {
  attributes = NamedAttrList(op->getAttrs());
  for (const Property& property : entry.properties) {
    Attribute value = attributes.get(property.name);
    if (!value) continue;
    bool fits = true;
    Attribute converted = Apply(property.rule, value, fits);
    if (!fits) return op->emitError() << "attribute " << property.name << " cannot be " << value;
    if (converted) {
      attributes.set(property.name, converted);
    } else {
      attributes.erase(property.name);
    }
  }
  return FoldStructs(entry.stem(), op, attributes);
}

}  // namespace opbyop::vhlo
