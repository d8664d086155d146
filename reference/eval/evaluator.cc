// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/evaluator.h"

#include <fmt/format.h>

#include "ir/entry_function.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/by_blocks.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/excess_precision.h"
#include "reference/eval/free_zeros.h"
#include "reference/eval/last_uses.h"
#include "reference/eval/ops/sharding.h"
#include "reference/eval/provenance.h"
#include "reference/eval/quantization.h"

namespace opbyop::reference {
namespace {

// Deep enough for any real call chain. A program that calls itself without end fails with an error instead of killing
// the worker by a stack overflow.
constexpr int kMaxDepth = 400;

}  // namespace

std::optional<ElementType> ElementTypeOf(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (type.isF32()) return ElementType::kF32;
  if (type.isF64()) return ElementType::kF64;
  if (type.isIndex()) return ElementType::kI64;
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    return ParseElementType(fmt::format("{}{}", integer.isUnsigned() ? "ui" : "i", integer.getWidth()));
  }
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32()) return ElementType::kC64;
    if (complex.getElementType().isF64()) return ElementType::kC128;
    return std::nullopt;
  }
  if (const auto quantized = QuantizationOf(type)) return quantized->storage;
  if (!llvm::isa<mlir::FloatType>(type)) return std::nullopt;
  std::string name;
  llvm::raw_string_ostream stream(name);
  type.print(stream);
  return ParseElementType(name);
}

Expected<mlir::Operation*> EntryOf(mlir::ModuleOp module) {
  if (mlir::Operation* main = mlir::SymbolTable::lookupSymbolIn(module, "main")) return main;
  const std::string name = EntryName(module, kMainFunction);
  const Expected<mlir::ModuleOp> inner = FindEntryModule(module, name);
  if (!inner) return Unexpected(inner.error());
  return mlir::SymbolTable::lookupSymbolIn(*inner, name);
}

std::string PlaceOf(mlir::Operation* op) {
  std::string place;
  op->getLoc()->walk([&](mlir::Location location) {
    if (auto line = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
      place = fmt::format("{}:{}", line.getFilename().str(), line.getLine());
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return place;
}

const Value* Scope::Find(mlir::Value key) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_) {
    const auto found = scope->values_.find(key);
    if (found != scope->values_.end()) return &found->second;
  }
  return nullptr;
}

bool OpContext::bounds() const { return evaluator.options().bounds; }

Expected<ElementType> OpContext::ResultType(unsigned i) const {
  const mlir::Type type = op->getResult(i).getType();
  if (const auto quantized = expressed ? QuantizationOf(type) : std::nullopt) return quantized->expressed;
  if (const auto element = ElementTypeOf(type)) return *element;
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return Unsupported(fmt::format("{} with result type {}", name, text));
}

Expected<Shape> OpContext::ResultShape(unsigned i) const {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(i).getType());
  if (!type || !type.hasStaticShape()) return Unsupported(fmt::format("{} with a dynamic result shape", name));
  return Shape(type.getShape().begin(), type.getShape().end());
}

std::vector<int64_t> OpContext::Ints(llvm::StringRef attribute) const {
  const mlir::Attribute found = op->getAttr(attribute);
  std::vector<int64_t> out;
  if (auto array = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(found)) {
    out.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  } else if (auto bools = llvm::dyn_cast_or_null<mlir::DenseBoolArrayAttr>(found)) {
    out.assign(bools.asArrayRef().begin(), bools.asArrayRef().end());
  } else if (auto elements = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(found)) {
    for (const llvm::APInt& v : elements.getValues<llvm::APInt>()) {
      out.push_back(v.getBitWidth() == 1 ? static_cast<int64_t>(v.getZExtValue()) : v.getSExtValue());
    }
  }
  return out;
}

std::vector<int64_t> OpContext::IntsOr(llvm::StringRef attribute, size_t count, int64_t value) const {
  std::vector<int64_t> out = Ints(attribute);
  if (out.empty()) out.assign(count, value);
  return out;
}

int64_t OpContext::Int(llvm::StringRef attribute, int64_t otherwise) const {
  auto found = llvm::dyn_cast_or_null<mlir::IntegerAttr>(op->getAttr(attribute));
  return found ? found.getValue().getSExtValue() : otherwise;
}

bool OpContext::Bool(llvm::StringRef attribute) const {
  auto found = llvm::dyn_cast_or_null<mlir::BoolAttr>(op->getAttr(attribute));
  return found && found.getValue();
}

tl::unexpected<Error> OpContext::Fail(ExitCode code, const std::string& why) const {
  const std::string place = PlaceOf(op);
  return MakeError(code, fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", name, why));
}

tl::unexpected<Error> OpContext::Unsupported(const std::string& what) const {
  const std::string place = PlaceOf(op);
  return MakeError(ExitCode::kUnsupported, fmt::format("{}{}unsupported: {}", place, place.empty() ? "" : ": ", what));
}

const EvalTableType& EvalTable() {
  static const EvalTableType table = [] {
    EvalTableType t;
    AddElementwise(t);
    AddComplexParts(t);
    AddConversions(t);
    AddDataMovement(t);
    AddDynamic(t);
    AddIndexing(t);
    AddScatter(t);
    AddSort(t);
    AddContractions(t);
    AddConvolutions(t);
    AddReductions(t);
    AddWindows(t);
    AddControlFlow(t);
    AddCalls(t);
    AddNormalization(t);
    AddLinearAlgebra(t);
    AddFourier(t);
    AddRandom(t);
    AddConstants(t);
    AddScan(t);
    AddSharding(t);
    AddQuantization(t);
    AddDistribution(t);
    AddParallel(t);
    return t;
  }();
  return table;
}

Expected<Values> Evaluator::Call(llvm::StringRef function, Values arguments) {
  mlir::Operation* found = mlir::SymbolTable::lookupSymbolIn(module_, function);
  if (found == nullptr || !llvm::isa<mlir::FunctionOpInterface>(found)) {
    return MakeError(ExitCode::kBadInput, fmt::format("the module has no function @{}", function.str()));
  }
  return CallFunction(found, std::move(arguments));
}

Expected<Values> Evaluator::CallFunction(mlir::Operation* function, Values arguments) {
  auto callable = llvm::cast<mlir::FunctionOpInterface>(function);
  if (callable.isExternal()) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: function @{} has no body", callable.getName().str()));
  }
  return Run(callable.getFunctionBody(), std::move(arguments), nullptr);
}

const llvm::DenseMap<mlir::Operation*, std::vector<mlir::Value>>& Evaluator::LastUses(mlir::Block& block) {
  const auto found = last_uses_.find(&block);
  return found != last_uses_.end() ? found->second : last_uses_[&block] = FindLastUses(block);
}

Expected<Values> Evaluator::Run(mlir::Region& region, Values arguments, Scope* parent) {
  if (!region.hasOneBlock()) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: a region of {} blocks", region.getBlocks().size()));
  }
  mlir::Block& block = region.front();
  if (block.getNumArguments() != arguments.size()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: takes {} arguments, got {}", region.getParentOp()->getName().getStringRef().str(),
                                 block.getNumArguments(), arguments.size()));
  }
  if (depth_ >= kMaxDepth) {
    return MakeError(ExitCode::kUnsupported, "unsupported: calls nested deeper than 400; the program calls itself");
  }
  struct Depth {
    int& depth;
    explicit Depth(int& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
  } guard(depth_);

  Scope scope(parent);
  for (size_t i = 0; i < arguments.size(); ++i) {
    scope.Set(block.getArgument(static_cast<unsigned>(i)), std::move(arguments[i]));
  }
  const auto& last_uses = LastUses(block);
  llvm::DenseMap<mlir::Value, Value> rounded;  // of values that may be unrounded in the scope
  for (mlir::Operation& op : block) {
    OpContext context{&op, op.getName().getStringRef(), {}, *this, &scope};
    context.operands.reserve(op.getNumOperands());
    for (mlir::Value operand : op.getOperands()) {
      const Value* value = scope.Find(operand);
      if (value == nullptr) return context.Fail(ExitCode::kBadInput, "an operand has no value here");
      context.operands.push_back(*value);
    }
    if (op.hasTrait<mlir::OpTrait::IsTerminator>()) {
      // Values that leave the block are rounded.
      for (unsigned i = 0; i < op.getNumOperands(); ++i) {
        const auto found = rounded.find(op.getOperand(i));
        if (found != rounded.end()) context.operands[i] = found->second;
      }
      return std::move(context.operands);
    }
    Expected<Values> results = Evaluate(context);
    if (!results) return Unexpected(results.error());
    if (options_.observe) {
      if (const Expected<void> seen = options_.observe(context, *results); !seen) return Unexpected(seen.error());
    }
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      if (op.getResult(i).use_empty()) continue;
      if (options_.keeps_excess && HasExcess(op.getResult(i))) {
        rounded[op.getResult(i)] = (*results)[i];
        (*results)[i] = WithExcess(context, std::move((*results)[i]));
      }
      scope.Set(op.getResult(i), std::move((*results)[i]));
    }
    context.operands.clear();
    const auto dead = last_uses.find(&op);
    if (dead == last_uses.end()) continue;
    for (mlir::Value value : dead->second) scope.Drop(value);
  }
  return Values();
}

Expected<Values> Evaluator::Evaluate(OpContext& context) {
  if (!options_.provenance) return EvaluateOp(context);
  OpContext before = context;  // an op may reuse the memory of its operands for its results
  // A composite that stands for an op is tracked as that op.
  const std::string native = IsNativeComposite(context.op) ? NativeNameOf(context.op) : std::string();
  if (!native.empty()) before.name = native;
  Expected<Values> results = EvaluateOp(context);
  before.met = std::move(context.met);
  if (results) TrackProvenance(before, [this](OpContext& exact) { return EvaluateOp(exact); }, *results);
  return results;
}

Expected<Values> Evaluator::EvaluateOp(OpContext& context) {
  const FreeZeros zeros(context);  // an op may reuse the memory of its operands
  Expected<Values> results = EvaluateAlone(context);
  if (results) zeros.Carry(*results);
  return results;
}

Expected<Values> Evaluator::EvaluateAlone(OpContext& context) {
  const RoundingTowardZero rounding(options_.rounds_toward_zero);
  if (options_.hook) {
    Values results;
    const Expected<bool> taken = options_.hook(context, results);
    if (!taken) return Unexpected(taken.error());
    if (*taken) return results;
  }
  const auto found = EvalTable().find(llvm::StringRef(context.name.data(), context.name.size()));
  if (found == EvalTable().end()) return context.Unsupported(std::string(context.name));
  const bool quantized = UsesQuantization(context.op) && !TakesStoredElements(context.name);
  if (!quantized) {
    if (std::optional<Expected<Values>> results = EvaluateByBlocks(context, found->second)) return std::move(*results);
  }
  Expected<Values> results = quantized ? EvaluateQuantized(context, found->second) : found->second(context);
  if (results && results->size() != context.op->getNumResults()) {
    return context.Fail(ExitCode::kInternal,
                        fmt::format("gave {} results, expected {}", results->size(), context.op->getNumResults()));
  }
  return results;
}

bool Evaluator::IsBatchable(mlir::Region& region) {
  const auto found = batchable_.find(&region);
  if (found != batchable_.end()) return found->second;
  bool batchable = region.hasOneBlock();
  if (batchable) {
    for (mlir::Operation& op : region.front()) {
      const llvm::StringRef name = op.getName().getStringRef();
      bool fits = op.hasTrait<mlir::OpTrait::IsTerminator>() || name == "stablehlo.constant" || IsElementwise(name);
      if (name == "func.call") {
        auto callee = op.getAttrOfType<mlir::FlatSymbolRefAttr>("callee");
        mlir::Operation* function = callee ? mlir::SymbolTable::lookupSymbolIn(module_, callee.getValue()) : nullptr;
        fits = function && function->getNumRegions() == 1 && depth_ < kMaxDepth && IsBatchable(function->getRegion(0));
      }
      for (mlir::Type type : op.getResultTypes()) {
        auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
        fits = fits && tensor && tensor.getRank() == 0;
      }
      if (!fits) {
        batchable = false;
        break;
      }
    }
  }
  return batchable_[&region] = batchable;
}

Expected<std::vector<Tensor>> Evaluator::RunBatch(mlir::Region& region, const std::vector<Tensor>& arguments,
                                                  int64_t count, Scope* scope) {
  std::vector<Tensor> out;
  if (count == 0 || IsBatchable(region)) {
    Values values(arguments.begin(), arguments.end());
    Expected<Values> results = Run(region, std::move(values), scope);
    if (!results) return Unexpected(results.error());
    for (Value& result : *results) {
      Tensor t = std::move(result.tensor());
      if (t.size() == count) {
        out.push_back(t.Reshaped({count}));
        continue;
      }
      // The region ignores its arguments, so that all executions have the same result.
      Tensor wide = Tensor::Make(t.type(), {count});
      WithStorage(t.kind(), [&]<typename T>() {
        for (T& v : wide.Mutable<T>()) v = t.data<T>()[0];
      });
      if (t.bound()) {
        auto bound = std::make_shared<Bound>(*t.bound());
        if (bound->size > 0) {
          const double value = bound->span()[0];
          bound->size = count;
          bound->values = Buffer(static_cast<size_t>(count) * sizeof(double));
          std::fill_n(reinterpret_cast<double*>(bound->values.data()), count, value);
        }
        wide.set_bound(std::move(bound));
      }
      out.push_back(std::move(wide));
    }
    return out;
  }
  const auto lane = [](const Tensor& t, int64_t i) {
    Tensor one = Tensor::Make(t.type(), {});
    WithStorage(t.kind(), [&]<typename T>() { one.Mutable<T>()[0] = t.data<T>()[static_cast<size_t>(i)]; });
    return one;
  };
  for (int64_t i = 0; i < count; ++i) {
    Values values;
    for (const Tensor& t : arguments) values.emplace_back(lane(t, t.size() == 1 ? 0 : i));
    Expected<Values> results = Run(region, std::move(values), scope);
    if (!results) return Unexpected(results.error());
    for (size_t r = 0; r < results->size(); ++r) {
      const Tensor& t = (*results)[r].tensor();
      if (i == 0) out.push_back(Tensor::Make(t.type(), {count}));
      WithStorage(t.kind(), [&]<typename T>() { out[r].Mutable<T>()[static_cast<size_t>(i)] = t.data<T>()[0]; });
    }
  }
  return out;
}

}  // namespace opbyop::reference
