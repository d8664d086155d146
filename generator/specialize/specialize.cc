// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/specialize/specialize.h"

#include <charconv>
#include <map>
#include <optional>

#include "fmt/format.h"
#include "generator/program/constants.h"
#include "generator/specialize/dimension_values.h"
#include "generator/specialize/refine_types.h"
#include "generator/walk/node_metadata.h"
#include "generator/walk/walk.h"
#include "ir/entry_function.h"
#include "ir/first_error.h"
#include "ir/shape_assertion.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "support/tensor_type.h"

namespace opbyop::generator {
namespace {

using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::func::FuncOp;

template <typename T>
std::string Printed(T thing) {
  std::string text;
  llvm::raw_string_ostream(text) << thing;
  return text;
}

bool IsTerminator(mlir::Operation& op) { return op.hasTrait<mlir::OpTrait::IsTerminator>(); }

class Specializer {
 public:
  explicit Specializer(mlir::ModuleOp module) : symbols_(module) {
    module.getContext()->getOrLoadDialect<mlir::arith::ArithDialect>();
  }

  // The types of the arguments are set already.
  LogicalResult RefineEntry(FuncOp main) {
    if (failed(RefineFunction(main))) return failure();
    for (FuncOp function : refined_) EraseDeadArithmetic(function);
    return success();
  }

 private:
  LogicalResult RefineFunction(FuncOp function) {
    refined_.push_back(function);
    mlir::Region& body = function.getBody();
    if (!body.hasOneBlock()) {
      return function.emitOpError() << "has several blocks; shapes are specialised through functions of one block only";
    }
    if (failed(RefineRegion(body))) return failure();
    auto results = llvm::to_vector(body.front().getTerminator()->getOperandTypes());
    function.setType(mlir::FunctionType::get(function.getContext(), body.front().getArgumentTypes(), results));
    return success();
  }

  LogicalResult RefineRegion(mlir::Region& region) {
    for (mlir::Block& block : region) {
      for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
        if (IsTerminator(op) || IsConstant(&op)) continue;
        if (failed(RefineOp(&op))) return failure();
      }
    }
    return success();
  }

  LogicalResult RefineOp(mlir::Operation* op) {
    llvm::StringRef name = op->getName().getStringRef();
    if (name == "func.call") return ReplaceByConstants(op) ? success() : RefineCall(op, "callee");
    if (name == "stablehlo.composite") return RefineCall(op, "decomposition");
    if (name == "stablehlo.while") return RefineWhile(op);
    if (name == "stablehlo.if" || name == "stablehlo.case") return RefineBranches(op);
    if (name == "stablehlo.custom_call" && IsShapeAssertion(op)) return CheckAssertion(op);
    if (failed(RefineResults(op))) return failure();
    if (!ReplaceByConstants(op)) MakeStatic(op);
    return success();
  }

  // Replaces an op whose results are all computed from the sizes of dimensions. Returns false for any other.
  bool ReplaceByConstants(mlir::Operation* op) {
    llvm::SmallVector<DimensionValue, 1> values;
    for (mlir::Value result : op->getResults()) {
      std::optional<DimensionValue> value = FindDimensionValue(result);
      if (!value || !value->from_dimension) return false;
      values.push_back(std::move(*value));
    }
    llvm::SmallPtrSet<mlir::Operation*, 4> seen;
    if (values.empty() || !IsFreeOfEffects(op, seen)) return false;
    mlir::OpBuilder builder(op);
    for (auto [result, value] : llvm::zip(op->getResults(), values)) {
      result.replaceAllUsesWith(MakeConstant(builder, result, value));
    }
    op->erase();
    return true;
  }

  // `seen` has the functions that were looked into.
  bool IsFreeOfEffects(mlir::Operation* op, llvm::SmallPtrSetImpl<mlir::Operation*>& seen) {
    auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
    if (!call) return mlir::isMemoryEffectFree(op);
    auto callee = symbols_.lookup<FuncOp>(call.getCallee());
    if (!callee || callee.isExternal()) return false;
    if (!seen.insert(callee).second) return true;
    return llvm::all_of(callee.getBody().getOps(),
                        [&](mlir::Operation& inner) { return IsTerminator(inner) || IsFreeOfEffects(&inner, seen); });
  }

  static mlir::Value MakeConstant(mlir::OpBuilder& builder, mlir::Value like, const DimensionValue& value) {
    constexpr unsigned kWord = 64;
    mlir::Type element = mlir::getElementTypeOrSelf(like.getType());
    unsigned width = element.isIndex() ? kWord : element.getIntOrFloatBitWidth();
    llvm::SmallVector<llvm::APInt> bits;
    for (int64_t number : value.elements) {
      bits.emplace_back(width, static_cast<uint64_t>(number), /*isSigned=*/false, /*implicitTrunc=*/true);
    }
    mlir::TypedAttr attribute;
    if (auto type = mlir::dyn_cast<mlir::ShapedType>(like.getType())) {
      attribute = mlir::DenseIntElementsAttr::get(type, bits);
    } else {
      attribute = mlir::IntegerAttr::get(element, bits[0]);
    }
    bool is_tensor = mlir::isa<mlir::RankedTensorType>(like.getType()) && !element.isIndex();
    mlir::OperationState state(like.getLoc(), is_tensor ? "stablehlo.constant" : "arith.constant");
    state.addAttribute("value", attribute);
    state.addAttribute(kDimensionAttribute, builder.getUnitAttr());
    state.addTypes(like.getType());
    return builder.create(state)->getResult(0);
  }

  // A function is copied for each set of argument types, and of sizes that it gets as values.
  LogicalResult RefineCall(mlir::Operation* op, llvm::StringRef key) {
    auto symbol = op->getAttrOfType<mlir::FlatSymbolRefAttr>(key);
    auto callee = symbol ? symbols_.lookup<FuncOp>(symbol.getAttr()) : FuncOp();
    if (!callee || callee.isExternal() || callee.getNumArguments() != op->getNumOperands()) return success();
    std::string signature = symbol.getValue().str();
    llvm::SmallVector<std::optional<DimensionValue>> sizes;
    for (mlir::Value operand : op->getOperands()) {
      std::optional<DimensionValue> value = FindDimensionValue(operand);
      if (value && !value->from_dimension) value.reset();
      signature += "|" + Printed(operand.getType());
      if (value) {
        for (int64_t element : value->elements) signature += fmt::format(" {}", element);
      }
      sizes.push_back(std::move(value));
    }
    auto [it, is_new] = copies_.try_emplace(signature, FuncOp());
    if (is_new) {
      FuncOp copy = callee.clone();
      symbols_.insert(copy);
      mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&copy.getBody().front());
      for (auto [argument, operand, value] : llvm::zip(copy.getArguments(), op->getOperands(), sizes)) {
        argument.setType(operand.getType());
        if (value) argument.replaceAllUsesWith(MakeConstant(builder, argument, *value));
      }
      if (failed(RefineFunction(copy))) return failure();
      copies_[signature] = copy;
    } else if (!it->second) {
      return op->emitOpError() << "calls @" << symbol.getValue() << ", which calls itself; StableHLO has no recursion";
    }
    FuncOp copy = copies_[signature];
    op->setAttr(key, mlir::FlatSymbolRefAttr::get(copy.getSymNameAttr()));
    for (auto [result, type] : llvm::zip(op->getResults(), copy.getResultTypes())) result.setType(type);
    return success();
  }

  LogicalResult RefineBranches(mlir::Operation* op) {
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Region& branch : op->getRegions()) {
      if (failed(RefineRegion(branch))) return failure();
      auto yielded = branch.front().getTerminator()->getOperandTypes();
      if (types.empty()) types = llvm::to_vector(yielded);
      for (auto [type, other] : llvm::zip(types, yielded)) type = type ? JoinTypes(type, other) : type;
    }
    return SetResults(op, types);
  }

  // A loop keeps the shapes that hold both before it and after every iteration. A loop has one list of types for its
  // operands and its carried values, so a shape that the loop changes is made dynamic before it.
  LogicalResult RefineWhile(mlir::Operation* op) {
    auto carried = llvm::to_vector(op->getOperandTypes());
    for (;;) {
      mlir::OpBuilder builder(op);
      mlir::Operation* copy = builder.clone(*op);
      for (mlir::Region& region : copy->getRegions()) {
        for (auto [argument, type] : llvm::zip(region.getArguments(), carried)) argument.setType(type);
        if (failed(RefineRegion(region))) return failure();
      }
      auto yielded = copy->getRegion(1).front().getTerminator()->getOperandTypes();
      llvm::SmallVector<mlir::Type> joined;
      for (auto [type, other] : llvm::zip(carried, yielded)) joined.push_back(JoinTypes(type, other));
      if (llvm::is_contained(joined, mlir::Type())) {
        copy->erase();
        return success();
      }
      if (joined == carried) {
        for (mlir::OpOperand& operand : copy->getOpOperands()) {
          mlir::Type type = carried[operand.getOperandNumber()];
          if (operand.get().getType() == type) continue;
          mlir::OperationState open(op->getLoc(), "stablehlo.convert", operand.get(), type);
          builder.setInsertionPoint(copy);
          operand.set(builder.create(open)->getResult(0));
        }
        op->replaceAllUsesWith(copy);
        op->erase();
        return SetResults(copy, carried);
      }
      copy->erase();
      carried = joined;
    }
  }

  static LogicalResult SetResults(mlir::Operation* op, llvm::ArrayRef<mlir::Type> types) {
    for (auto [result, type] : llvm::zip(op->getResults(), types)) {
      auto tensor = mlir::dyn_cast_or_null<mlir::RankedTensorType>(type);
      if (!tensor) continue;
      mlir::Type met = MeetTypes(result.getType(), tensor.getShape());
      if (!met) return op->emitOpError() << "has a result of " << result.getType() << ", but its regions give " << type;
      result.setType(met);
    }
    return success();
  }

  // A check that JAX lets a program make on its shapes: once they are known, it is decided and removed.
  static LogicalResult CheckAssertion(mlir::Operation* op) {
    std::optional<DimensionValue> value = FindDimensionValue(op->getOperand(0));
    if (!value || !value->from_dimension || !op->use_empty()) return success();
    if (value->elements[0] == 0) {
      auto message = op->getAttrOfType<mlir::StringAttr>("error_message");
      return op->emitOpError() << "the program refuses these shapes: "
                               << (message ? message.getValue() : "no reason given");
    }
    op->erase();
    return success();
  }

  // Erases arithmetic that computed a shape and is no longer used.
  static void EraseDeadArithmetic(FuncOp function) {
    function.walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([](mlir::Operation* op) {
      if (op->getNumResults() != 1 || !op->use_empty() || !mlir::isMemoryEffectFree(op)) return;
      if (op->hasAttr(kDimensionAttribute) || FindDimensionValue(op->getResult(0))) op->erase();
    });
  }

  mlir::SymbolTable symbols_;
  std::map<std::string, FuncOp> copies_;  // by callee and signature; null while it is being refined
  std::vector<FuncOp> refined_;
};

// The names of the argument: "0" and "arg0" always, and the frontend's names.
std::vector<std::string> NamesOf(FuncOp main, unsigned index) {
  std::vector<std::string> names = {fmt::format("{}", index), fmt::format("arg{}", index),
                                    fmt::format("%arg{}", index)};
  // The metadata that PyTorch/XLA writes in place of a name is no name.
  auto name = mlir::dyn_cast<mlir::NameLoc>(main.getArgument(index).getLoc());
  if (name && !ParseNodeMetadata(name.getName().strref())) names.push_back(name.getName().str());
  for (llvm::StringRef key : {"jax.arg_info", "tf.arg_name", "mhlo.arg_name"}) {
    if (auto given = main.getArgAttrOfType<mlir::StringAttr>(index, key)) names.push_back(given.str());
  }
  return names;
}

Expected<void> SetArgument(FuncOp main, const ShapeArgument& wanted) {
  std::string known;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::vector<std::string> names = NamesOf(main, i);
    mlir::BlockArgument argument = main.getArgument(i);
    known += fmt::format("{}{}: {}", i == 0 ? "" : ", ", names.back(), Printed(argument.getType()));
    if (!llvm::is_contained(names, wanted.name)) continue;
    llvm::SmallVector<int64_t> shape;
    for (int64_t size : wanted.shape) shape.push_back(size == kDynamic ? mlir::ShapedType::kDynamic : size);
    mlir::Type type = MeetTypes(argument.getType(), shape);
    bool same_dtype = wanted.dtype.empty() || Printed(mlir::getElementTypeOrSelf(argument.getType())) == wanted.dtype;
    if (!type || !same_dtype) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("argument {} is {} and cannot be {}", wanted.name, Printed(argument.getType()),
                                   ToText(wanted).substr(wanted.name.size() + 1)));
    }
    argument.setType(type);
    return {};
  }
  return MakeError(ExitCode::kBadInput, fmt::format("no argument is called {}; @{} has {}", wanted.name,
                                                    std::string_view(main.getName()), known.empty() ? "none" : known));
}

}  // namespace

Expected<ShapeArgument> ParseShapeArgument(std::string_view text) {
  tl::unexpected<Error> bad = MakeError(
      ExitCode::kUsage, fmt::format("--shape {}: expected ARGUMENT=SHAPE as in x=4x8xf32, 0=4x8 or x=?x8", text));
  size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return bad;
  ShapeArgument argument{.name = std::string(text.substr(0, equals))};
  std::string_view rest = text.substr(equals + 1);
  while (!rest.empty()) {
    size_t end = std::min(rest.find('x'), rest.size());
    std::string_view size = rest.substr(0, end);
    int64_t number = 0;
    auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), number);
    bool is_number = error == std::errc() && stop == size.data() + size.size() && number >= 0;
    if (size != "?" && !is_number) break;
    argument.shape.push_back(is_number ? number : kDynamic);
    rest.remove_prefix(end);
    if (rest.empty()) return argument;
    rest.remove_prefix(1);
    if (rest.empty()) return bad;
  }
  if (rest.empty() || (rest[0] >= '0' && rest[0] <= '9') || rest[0] == '-') return bad;
  argument.dtype = std::string(rest);
  return argument;
}

std::string ToText(const ShapeArgument& argument) {
  std::string text = argument.name + "=";
  for (size_t i = 0; i < argument.shape.size(); ++i) {
    if (i > 0) text += 'x';
    text += argument.shape[i] == kDynamic ? "?" : std::to_string(argument.shape[i]);
  }
  if (argument.dtype.empty()) return text;
  return text + (argument.shape.empty() ? "" : "x") + argument.dtype;
}

Expected<void> SpecializeShapes(mlir::ModuleOp outer, std::string_view asked,
                                const std::vector<ShapeArgument>& arguments) {
  const std::string entry = EntryName(outer, asked);
  Expected<mlir::ModuleOp> module = FindEntryModule(outer, entry);
  if (!module) return Unexpected(module.error());
  auto main = mlir::dyn_cast_or_null<FuncOp>(mlir::SymbolTable::lookupSymbolIn(*module, llvm::StringRef(entry)));
  if (!main)
    return MakeError(ExitCode::kBadInput, fmt::format("@{} is no func.func, so it has no shapes to set", entry));
  for (const ShapeArgument& wanted : arguments) {
    if (Expected<void> done = SetArgument(main, wanted); !done) return done;
  }
  FirstError error(*outer.getContext());
  if (failed(Specializer(*module).RefineEntry(main)) || failed(mlir::verify(*module))) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}{}with these shapes the program is not valid: {}",
                                                      error.place(), error.place().empty() ? "" : ": ", error.text()));
  }
  return {};
}

}  // namespace opbyop::generator
