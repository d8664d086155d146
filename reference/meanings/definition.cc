// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/definition.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "reference/inputs/input_role.h"
#include "reference/meanings/call_attribute.h"

namespace opbyop::reference {
namespace {

constexpr llvm::StringLiteral kMeaning = "opbyop.meaning";         // the targets, if the function's name is not one
constexpr llvm::StringLiteral kTypes = "opbyop.types";             // element types that f32 and complex<f32> stand for
constexpr llvm::StringLiteral kWhere = "opbyop.where";             // attribute of the call -> its values
constexpr llvm::StringLiteral kLast = "opbyop.last_dimension";     // attribute that is the operand's last dimension
constexpr llvm::StringLiteral kProperty = "opbyop.property";       // the property that the results must have
constexpr llvm::StringLiteral kOptions = "opbyop.options";         // option of the property -> attribute of the call
constexpr llvm::StringLiteral kPart = "opbyop.is";                 // the name of an operand or result in the property
constexpr llvm::StringLiteral kAttribute = "opbyop.attribute";     // an argument is this attribute of the call
constexpr llvm::StringLiteral kResultSize = "opbyop.result_size";  // an argument is [result, dimension] of the call
constexpr llvm::StringLiteral kDefault = "opbyop.default";         // the value of an attribute that is absent

using mlir::func::FuncOp;

std::string Printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool IsOperand(FuncOp function, unsigned i) {
  return !function.getArgAttr(i, kAttribute) && !function.getArgAttr(i, kResultSize);
}

bool IsNumber(mlir::Type type) { return llvm::isa<mlir::FloatType, mlir::ComplexType>(type); }

// Whether the attribute that the definition names is the last dimension of the call's first operand.
bool IsOverLastDimension(FuncOp function, mlir::Operation* op) {
  const auto name = function->getAttrOfType<mlir::StringAttr>(kLast);
  if (!name) return true;
  const std::optional<double> dimension = NumberOf(FindCallAttribute(op, name));
  auto type = op->getNumOperands() == 0 ? nullptr : llvm::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  return type && dimension && *dimension == static_cast<double>(type.getRank() - 1);
}

// The role of a type in a signature. The first operand says which dimensions are a batch; a number among the other
// operands may lack them, and is then that of every element of the batch.
enum class Role { kFirst, kOperand, kResult };

// Extends `fit` by a type of the definition and of the call. Returns false if they do not fit.
bool Extend(const Definition& definition, mlir::Type declared, mlir::Type actual, Role role, Fit& fit) {
  fit.is_exact = fit.is_exact && declared == actual;
  auto from = llvm::dyn_cast<mlir::RankedTensorType>(declared);
  auto to = llvm::dyn_cast<mlir::RankedTensorType>(actual);
  if (!from || !to) return declared == actual;
  if (from.getRank() > to.getRank()) return false;
  const llvm::ArrayRef<int64_t> batch = to.getShape().drop_back(static_cast<size_t>(from.getRank()));
  if (llvm::is_contained(batch, mlir::ShapedType::kDynamic)) return false;
  if (role == Role::kFirst) fit.batch.assign(batch.begin(), batch.end());
  const bool is_shared = role == Role::kOperand && to.getRank() == 0;
  if (!is_shared && batch != llvm::ArrayRef(fit.batch)) return false;
  for (const auto& [size, given] : llvm::zip(from.getShape(), to.getShape().take_back(from.getShape().size()))) {
    if (size != mlir::ShapedType::kDynamic && size != given) return false;
  }
  const mlir::Type element = from.getElementType(), other = to.getElementType();
  if (element == other) return fit.elements.try_emplace(element, other).first->second == other;
  // A property judges numbers of every type.
  if (definition.property != nullptr) return IsNumber(element) && IsNumber(other);
  const auto types = definition.function->getAttrOfType<mlir::ArrayAttr>(kTypes);
  const bool allowed = types && IsNumber(element) && llvm::is_contained(types, mlir::TypeAttr::get(other));
  return allowed && fit.elements.try_emplace(element, other).first->second == other;
}

mlir::Type Mapped(mlir::Type type, const Fit& fit) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  const auto found = tensor ? fit.elements.find(tensor.getElementType()) : fit.elements.end();
  if (!tensor || found == fit.elements.end()) return type;
  return tensor.clone(found->second);
}

void MapTypes(FuncOp function, const Fit& fit) {
  const auto map_block = [&](mlir::Block& block) {
    for (mlir::BlockArgument argument : block.getArguments()) argument.setType(Mapped(argument.getType(), fit));
  };
  for (mlir::Block& block : function.getBody()) map_block(block);
  function.getBody().walk([&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults()) result.setType(Mapped(result.getType(), fit));
    for (mlir::Region& region : op->getRegions()) llvm::for_each(region, map_block);
  });
}

// The constant for a number of this scalar type.
mlir::Value MakeNumber(mlir::OpBuilder& builder, mlir::Location location, mlir::RankedTensorType type, double number) {
  const mlir::Type element = type.getElementType();
  mlir::Attribute value;
  if (llvm::isa<mlir::FloatType>(element)) {
    value = builder.getFloatAttr(element, number);
  } else {
    value = builder.getIntegerAttr(element, static_cast<int64_t>(number));
  }
  mlir::OperationState state(location, "stablehlo.constant");
  state.addAttribute("value", mlir::DenseElementsAttr::get(type, value));
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

// The attribute of the call that an argument stands for: "side", or that of ["side", 76]; empty if it is neither.
llvm::StringRef PathOf(FuncOp function, unsigned i) {
  mlir::Attribute path = function.getArgAttr(i, kAttribute);
  const auto choice = llvm::dyn_cast_or_null<mlir::ArrayAttr>(path);
  if (choice && choice.size() == 2) path = choice[0];
  const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(path);
  return text ? text.getValue() : "";
}

// The number that an argument stands for; nullopt if the call lacks the attribute.
std::optional<double> NumberFor(FuncOp function, unsigned i, mlir::Operation* op, const Fit& fit) {
  if (const auto place = function.getArgAttrOfType<mlir::ArrayAttr>(i, kResultSize)) {
    const auto result = static_cast<unsigned>(*NumberOf(place[0]));
    auto type = llvm::cast<mlir::RankedTensorType>(op->getResult(result).getType());
    return static_cast<double>(type.getDimSize(static_cast<unsigned>(*NumberOf(place[1]) + fit.batch.size())));
  }
  const mlir::Attribute value = FindCallAttribute(op, PathOf(function, i));
  const auto choice = llvm::dyn_cast<mlir::ArrayAttr>(function.getArgAttr(i, kAttribute));
  if (value && choice) return IsSameValue(value, choice[1]) ? 1 : 0;
  if (const std::optional<double> number = NumberOf(value)) return number;
  return NumberOf(function.getArgAttr(i, kDefault));
}

tl::unexpected<Error> Bad(FuncOp function, const std::string& why) {
  return MakeError(ExitCode::kBadInput, fmt::format("@{} {}", function.getSymName().str(), why));
}

// Whether [result, dimension] is one of the function's results.
bool IsResultSize(FuncOp function, mlir::ArrayAttr place) {
  if (!place || place.size() != 2 || !NumberOf(place[0]) || !NumberOf(place[1])) return false;
  const double result = *NumberOf(place[0]), dimension = *NumberOf(place[1]);
  if (result < 0 || result >= function.getNumResults()) return false;
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(function.getResultTypes()[static_cast<unsigned>(result)]);
  return type && dimension >= 0 && dimension < static_cast<double>(type.getRank());
}

Expected<void> CheckArguments(FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const mlir::Attribute input = function.getArgAttr(i, kInputAttribute);
    if (input && !DeclaredInputOf(input)) {
      return Bad(function,
                 "has an opbyop.input that is neither \"triangular\" nor \"positive_definite\" nor [least, greatest]");
    }
    if (IsOperand(function, i)) continue;
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type || type.getRank() != 0 || !type.getElementType().isIntOrFloat()) {
      return Bad(function, fmt::format("takes an attribute as {}, expected a tensor of one integer or float",
                                       Printed(function.getArgumentTypes()[i])));
    }
    const mlir::Attribute place = function.getArgAttr(i, kResultSize);
    if (place && !IsResultSize(function, llvm::dyn_cast<mlir::ArrayAttr>(place))) {
      return Bad(function, "has an opbyop.result_size that is no [result, dimension] of it");
    }
    if (!place && PathOf(function, i).empty()) {
      return Bad(function, "has an opbyop.attribute that is neither a text nor a text and a value");
    }
  }
  return {};
}

// A function for several element types must get its constants by conversion from other types.
Expected<void> CheckConstants(FuncOp function) {
  if (!function->hasAttr(kTypes)) return {};
  llvm::SmallPtrSet<mlir::Type, 4> elements;
  const std::vector<mlir::Type> operands = Definition{function}.OperandTypes();
  for (mlir::Type type : llvm::concat<const mlir::Type>(operands, function.getResultTypes())) {
    const mlir::Type element = mlir::getElementTypeOrSelf(type);
    if (IsNumber(element)) elements.insert(element);
  }
  mlir::Type wrong;
  function.walk([&](mlir::Operation* op) {
    if (op->getName().getStringRef() != "stablehlo.constant") return;
    const mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
    if (elements.contains(element)) wrong = element;
  });
  if (!wrong) return {};
  return Bad(function,
             fmt::format("is for several element types, but has a constant of {}; convert it from another type",
                         Printed(wrong)));
}

Expected<void> CheckParts(FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttrOfType<mlir::StringAttr>(i, kPart)) {
      return Bad(function, fmt::format("has a property, but argument {} has no opbyop.is", i));
    }
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (!function.getResultAttrOfType<mlir::StringAttr>(i, kPart)) {
      return Bad(function, fmt::format("has a property, but result {} has no opbyop.is", i));
    }
  }
  return {};
}

}  // namespace

std::vector<mlir::Type> Definition::OperandTypes() const {
  std::vector<mlir::Type> types;
  FuncOp declared = function;
  for (unsigned i = 0; i < declared.getNumArguments(); ++i) {
    if (IsOperand(declared, i)) types.push_back(declared.getArgumentTypes()[i]);
  }
  return types;
}

Expected<std::optional<Definition>> ReadDefinition(FuncOp function) {
  Definition definition{function};
  if (const auto name = function->getAttrOfType<mlir::StringAttr>(kProperty)) {
    definition.property = FindProperty(name.getValue());
    if (definition.property == nullptr) {
      std::string known;
      for (const Property& property : Properties())
        known += fmt::format("{} {}", known.empty() ? "" : ",", property.name);
      return Bad(function, fmt::format("has the unknown property '{}'; there are{}", name.str(), known));
    }
    if (!function.isExternal()) return Bad(function, "has a property, and so must have no body");
    if (const Expected<void> done = CheckParts(function); !done) return Unexpected(done.error());
    return definition;
  }
  if (function.isPrivate()) return std::nullopt;
  if (function.isExternal()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the definition of {} has no body", TargetsOf(definition).front()));
  }
  if (const Expected<void> done = CheckArguments(function); !done) return Unexpected(done.error());
  if (const Expected<void> done = CheckConstants(function); !done) return Unexpected(done.error());
  return definition;
}

std::vector<std::string> TargetsOf(const Definition& definition) {
  std::vector<std::string> targets;
  const auto add = [&](llvm::StringRef name) {
    const size_t at = name.find('?');
    if (at == llvm::StringRef::npos) return targets.push_back(name.str());
    for (const char letter : {'s', 'd', 'c', 'z'}) {
      std::string one = name.str();
      one[at] = letter;
      targets.push_back(std::move(one));
    }
  };
  FuncOp function = definition.function;
  if (const auto one = function->getAttrOfType<mlir::StringAttr>(kMeaning)) {
    add(one.getValue());
  } else if (const auto several = function->getAttrOfType<mlir::ArrayAttr>(kMeaning)) {
    for (const auto name : several.getAsRange<mlir::StringAttr>()) add(name.getValue());
  } else {
    add(function.getSymName());
  }
  return targets;
}

std::optional<Fit> FitOf(const Definition& definition, mlir::Operation* op) {
  FuncOp function = definition.function;
  const std::vector<mlir::Type> operands = definition.OperandTypes();
  if (operands.size() != op->getNumOperands() || function.getNumResults() != op->getNumResults()) return std::nullopt;
  if (const auto where = function->getAttrOfType<mlir::DictionaryAttr>(kWhere)) {
    for (const mlir::NamedAttribute entry : where) {
      const mlir::Attribute given = FindCallAttribute(op, entry.getName());
      const auto values = llvm::dyn_cast<mlir::ArrayAttr>(entry.getValue());
      if (!given || !values || llvm::none_of(values, [&](mlir::Attribute v) { return IsSameValue(v, given); })) {
        return std::nullopt;
      }
    }
  }
  if (!IsOverLastDimension(function, op)) return std::nullopt;
  Fit fit;
  fit.is_exact = operands.size() == function.getNumArguments();
  bool is_first = true;
  const auto fits = [&](auto declared, auto actual, Role role) {
    for (const auto& [from, to] : llvm::zip(declared, actual)) {
      if (!Extend(definition, from, to, is_first ? Role::kFirst : role, fit)) return false;
      is_first = false;
    }
    return true;
  };
  if (!fits(operands, op->getOperandTypes(), Role::kOperand) ||
      !fits(function.getResultTypes(), op->getResultTypes(), Role::kResult)) {
    return std::nullopt;
  }
  return fit;
}

Expected<FuncOp> Instantiate(const Definition& definition, mlir::Operation* op, const Fit& fit,
                             const std::string& name) {
  FuncOp copy = FuncOp(definition.function).clone();
  const auto fail = [&](tl::unexpected<Error> error) {
    copy.erase();
    return error;
  };
  copy.setSymName(name);
  copy.setPrivate();
  mlir::Block& body = copy.getBody().front();
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&body);
  for (unsigned i = copy.getNumArguments(); i-- > 0;) {
    if (IsOperand(copy, i)) continue;
    const std::optional<double> number = NumberFor(copy, i, op, fit);
    if (!number) {
      return fail(Bad(copy, fmt::format("needs the attribute {} of the call", PathOf(copy, i).str())));
    }
    auto type = llvm::cast<mlir::RankedTensorType>(body.getArgument(i).getType());
    body.getArgument(i).replaceAllUsesWith(MakeNumber(builder, copy.getLoc(), type, *number));
    (void)copy.eraseArgument(i);
  }
  MapTypes(copy, fit);
  copy.setFunctionType(
      mlir::FunctionType::get(copy.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  for (const llvm::StringRef key : {kMeaning, kTypes, kWhere, kLast}) copy->removeAttr(key);
  return copy;
}

Expected<std::map<std::string, double, std::less<>>> OptionsOf(const Definition& definition, mlir::Operation* op) {
  std::map<std::string, double, std::less<>> options;
  FuncOp function = definition.function;
  const auto given = function->getAttrOfType<mlir::DictionaryAttr>(kOptions);
  if (!given) return options;
  for (const mlir::NamedAttribute entry : given) {
    const std::string name = entry.getName().str();
    const auto choice = llvm::dyn_cast<mlir::ArrayAttr>(entry.getValue());  // [attribute, the value for true]
    const auto path = llvm::dyn_cast<mlir::StringAttr>(choice && choice.size() == 2 ? choice[0] : entry.getValue());
    if (!path) {
      const std::optional<double> number = NumberOf(entry.getValue());
      if (!number) return Bad(function, fmt::format("has an option {} that is no number", name));
      options[name] = *number;
      continue;
    }
    const mlir::Attribute value = FindCallAttribute(op, path.getValue());
    const std::optional<double> number = NumberOf(value);
    if (!value || (!choice && !number))
      return Bad(function, fmt::format("needs the attribute {} of the call", path.str()));
    options[name] = choice ? (IsSameValue(value, choice[1]) ? 1 : 0) : *number;
  }
  return options;
}

}  // namespace opbyop::reference
