// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/cut_loop.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "ir/entry_function.h"
#include "ir/loop_trips.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

namespace opbyop {
namespace {

tl::unexpected<Error> NotCut(std::string why) { return MakeError(ExitCode::kUnsupported, std::move(why)); }

mlir::RankedTensorType StaticTensorOf(mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : mlir::RankedTensorType();
}

// scale * i + offset, i being the number of a trip.
struct Affine {
  int64_t scale = 0, offset = 0;
  bool operator==(const Affine&) const = default;
};

// The functions of a module and the calls of each.
class Calls {
 public:
  explicit Calls(mlir::ModuleOp module) {
    module.walk([&](mlir::Operation* op) {
      if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) functions_[function.getSymName()] = function;
      if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) {
        calls_[call.getCallee()].push_back(call);
        return;
      }
      // Another op that names a function, such as a composite, does not say here what it passes.
      op->getAttrDictionary().walk([&](mlir::FlatSymbolRefAttr name) { named_.insert({name.getValue(), true}); });
    });
  }

  // The function that an op calls; null if it is no plain call.
  mlir::func::FuncOp Callee(mlir::Operation* op) const {
    auto call = llvm::dyn_cast<mlir::func::CallOp>(op);
    mlir::func::FuncOp function = call ? functions_.lookup(call.getCallee()) : nullptr;
    return function && llvm::hasSingleElement(function.getBody()) && !named_.contains(function.getSymName())
               ? function
               : mlir::func::FuncOp();
  }

  // All calls of a function; none if it may be called in other ways.
  llvm::ArrayRef<mlir::func::CallOp> Of(mlir::func::FuncOp function) const {
    const auto found = calls_.find(function.getSymName());
    if (found == calls_.end() || named_.contains(function.getSymName())) return {};
    return found->second;
  }

 private:
  llvm::StringMap<mlir::func::FuncOp> functions_;
  llvm::StringMap<llvm::SmallVector<mlir::func::CallOp>> calls_;
  llvm::StringMap<bool> named_;
};

// The loop, and the place of its counter among its arguments.
class CountedLoop {
 public:
  // `from` and `trips` are known.
  CountedLoop(mlir::Operation* loop, unsigned counter, int64_t from, int64_t trips)
      : op(loop), counter(counter), from(from), trips(trips) {}

  mlir::Block& condition() const { return op->getRegion(0).front(); }
  mlir::Block& body() const { return op->getRegion(1).front(); }
  // The values that hold a carried value: before, within and after the loop.
  llvm::SmallVector<mlir::Value> Carried(unsigned place) const {
    return {op->getOperand(place), condition().getArgument(place), body().getArgument(place),
            body().getTerminator()->getOperand(place), op->getResult(place)};
  }

  mlir::Operation* op;
  unsigned counter;
  int64_t from, trips;
};

// Finds the values that are affine in the number of the trip.
class Indices {
 public:
  Indices(const CountedLoop& loop, const Calls& calls) : loop_(loop), calls_(calls) {}

  std::optional<Affine> Of(mlir::Value value) {
    const auto [known, is_new] = known_.try_emplace(value);  // while it is being looked for it is not affine
    if (!is_new) return known->second;
    const std::optional<Affine> found = Find(value);
    return known_[value] = found;
  }

  // Whether an index reaches each element of a dimension of as many elements as there are trips once: `reversed` if in
  // falling order.
  bool Covers(mlir::Value index, bool& reversed) {
    const std::optional<Affine> affine = Of(index);
    if (!affine || (affine->scale != 1 && affine->scale != -1)) return false;
    reversed = affine->scale < 0;
    return affine->offset == (reversed ? loop_.trips - 1 : 0);
  }

 private:
  std::optional<Affine> Find(mlir::Value value) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) return OfArgument(argument);
    mlir::Operation* op = value.getDefiningOp();
    const llvm::StringRef name = op->getName().getStringRef();
    if (const auto constant = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(op->getAttr("value"))) {
      const bool is_one = constant.getNumElements() == 1 && constant.getElementType().getIntOrFloatBitWidth() <= 64;
      if (!is_one) return std::nullopt;
      return Affine{0, (*constant.value_begin<llvm::APInt>()).getSExtValue()};
    }
    if (name == "stablehlo.convert" || name == "stablehlo.reshape") {
      const auto from = StaticTensorOf(op->getOperand(0));
      if (!from || !from.getElementType().isInteger() || from.getNumElements() != 1) return std::nullopt;
      return Of(op->getOperand(0));
    }
    if (name == "stablehlo.add" || name == "stablehlo.subtract") {
      const std::optional<Affine> a = Of(op->getOperand(0)), b = Of(op->getOperand(1));
      if (!a || !b) return std::nullopt;
      const int64_t sign = name == "stablehlo.add" ? 1 : -1;
      return Affine{a->scale + sign * b->scale, a->offset + sign * b->offset};
    }
    if (name == "stablehlo.select") {
      const std::optional<bool> chosen = IsBelow(op->getOperand(0));
      return chosen ? Of(op->getOperand(*chosen ? 1 : 2)) : std::nullopt;
    }
    if (mlir::func::FuncOp callee = calls_.Callee(op)) {
      return Of(callee.front().getTerminator()->getOperand(llvm::cast<mlir::OpResult>(value).getResultNumber()));
    }
    return std::nullopt;
  }

  std::optional<Affine> OfArgument(mlir::BlockArgument argument) {
    mlir::Operation* owner = argument.getOwner()->getParentOp();
    const unsigned place = argument.getArgNumber();
    if (owner == loop_.op) {
      if (place == loop_.counter) return Affine{1, loop_.from};
      const bool stays = loop_.body().getTerminator()->getOperand(place) == loop_.body().getArgument(place);
      return stays ? Of(loop_.op->getOperand(place)) : std::nullopt;
    }
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(owner);
    if (!function) return std::nullopt;
    std::optional<Affine> common;
    for (mlir::func::CallOp call : calls_.Of(function)) {
      const std::optional<Affine> own = Of(call.getOperand(place));
      if (!own || (common && *common != *own)) return std::nullopt;
      common = own;
    }
    return common;
  }

  // Whether `value` tells in every trip that one affine value is below another, as where a negative index is wrapped.
  std::optional<bool> IsBelow(mlir::Value value) {
    mlir::Operation* compare = value.getDefiningOp();
    const auto direction = compare == nullptr
                               ? stablehlo::ComparisonDirectionAttr()
                               : compare->getAttrOfType<stablehlo::ComparisonDirectionAttr>("comparison_direction");
    if (!direction || direction.getValue() != stablehlo::ComparisonDirection::LT) return std::nullopt;
    const std::optional<Affine> a = Of(compare->getOperand(0)), b = Of(compare->getOperand(1));
    if (!a || !b) return std::nullopt;
    const auto below = [&](int64_t trip) { return a->scale * trip + a->offset < b->scale * trip + b->offset; };
    // Both differ by a linear function, so the first and the last trip tell for those between.
    const bool first = below(0), last = below(loop_.trips - 1);
    return first == last ? std::optional(first) : std::nullopt;
  }

  const CountedLoop& loop_;
  const Calls& calls_;
  llvm::DenseMap<mlir::Value, std::optional<Affine>> known_;
};

// All values that hold a carried tensor, and the dimension along which its elements belong to trips.
struct Stack {
  int64_t dim = 0;
  llvm::SetVector<mlir::Value> values;
  llvm::SetVector<mlir::OpOperand*> reversed;  // indices from the end
};

class StackFinder {
 public:
  StackFinder(const CountedLoop& loop, const Calls& calls, mlir::Operation* entry)
      : loop_(loop), calls_(calls), entry_(entry), indices_(loop, calls) {}

  // Returns nullopt if not all uses are proved to be of one element per trip.
  std::optional<Stack> Find(unsigned place, int64_t dim) {
    Stack stack{.dim = dim};
    for (mlir::Value value : loop_.Carried(place)) stack.values.insert(value);
    for (size_t i = 0; i < stack.values.size(); ++i) {
      const mlir::Value value = stack.values[i];
      const auto type = StaticTensorOf(value);
      if (!type || dim >= type.getRank() || type.getDimSize(static_cast<unsigned>(dim)) != loop_.trips) {
        return std::nullopt;
      }
      if (!FollowOrigin(value, stack)) return std::nullopt;
      for (mlir::OpOperand& use : value.getUses()) {
        if (!FollowUse(use, stack)) return std::nullopt;
      }
    }
    return stack;
  }

 private:
  void Add(Stack& stack, llvm::ArrayRef<mlir::Value> values) {
    for (mlir::Value value : values) stack.values.insert(value);
  }

  bool FollowOrigin(mlir::Value value, Stack& stack) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      mlir::Operation* owner = argument.getOwner()->getParentOp();
      if (owner == loop_.op) return true;  // the others of its place were added with it
      if (owner == entry_) return true;
      auto function = llvm::dyn_cast<mlir::func::FuncOp>(owner);
      if (!function || calls_.Of(function).empty()) return false;
      for (mlir::func::CallOp call : calls_.Of(function)) Add(stack, call.getOperand(argument.getArgNumber()));
      return true;
    }
    mlir::Operation* op = value.getDefiningOp();
    const unsigned number = llvm::cast<mlir::OpResult>(value).getResultNumber();
    const llvm::StringRef name = op->getName().getStringRef();
    if (op == loop_.op) {
      Add(stack, loop_.Carried(number));
      return true;
    }
    if (name == "stablehlo.dynamic_update_slice") {
      Add(stack, op->getOperand(0));
      return true;
    }
    if (mlir::func::FuncOp callee = calls_.Callee(op)) {
      Add(stack, callee.front().getTerminator()->getOperand(number));
      return true;
    }
    // The same element everywhere.
    if (name == "stablehlo.broadcast_in_dim") {
      const auto from = StaticTensorOf(op->getOperand(0));
      return from && from.getRank() == 0;
    }
    const auto constant = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(op->getAttr("value"));
    return constant && constant.isSplat();
  }

  bool FollowUse(mlir::OpOperand& use, Stack& stack) {
    mlir::Operation* op = use.getOwner();
    const unsigned number = use.getOperandNumber();
    const llvm::StringRef name = op->getName().getStringRef();
    if (op == loop_.op || op == loop_.body().getTerminator()) {
      Add(stack, loop_.Carried(number));
      return true;
    }
    if (auto end = llvm::dyn_cast<mlir::func::ReturnOp>(op)) {
      if (end->getParentOp() == entry_) return true;
      auto function = llvm::cast<mlir::func::FuncOp>(end->getParentOp());
      if (calls_.Of(function).empty()) return false;
      for (mlir::func::CallOp call : calls_.Of(function)) Add(stack, call.getResult(number));
      return true;
    }
    if (mlir::func::FuncOp callee = calls_.Callee(op)) {
      Add(stack, callee.getArgument(number));
      return true;
    }
    const auto at = static_cast<size_t>(stack.dim);
    if (number != 0) return false;
    if (name == "stablehlo.dynamic_slice") {
      const auto sizes = op->getAttrOfType<mlir::DenseI64ArrayAttr>("slice_sizes");
      return sizes && sizes.asArrayRef()[at] == 1 && FollowIndex(op->getOpOperand(1 + stack.dim), stack);
    }
    if (name == "stablehlo.dynamic_update_slice") {
      const auto update = StaticTensorOf(op->getOperand(1));
      if (!update || update.getShape()[at] != 1 || !FollowIndex(op->getOpOperand(2 + stack.dim), stack)) return false;
      Add(stack, op->getResult(0));
      return true;
    }
    return false;
  }

  bool FollowIndex(mlir::OpOperand& index, Stack& stack) {
    bool reversed = false;
    if (!indices_.Covers(index.get(), reversed)) return false;
    if (reversed) stack.reversed.insert(&index);
    return true;
  }

  const CountedLoop& loop_;
  const Calls& calls_;
  mlir::Operation* entry_;
  Indices indices_;
};

mlir::Value IntegerBefore(mlir::Operation* op, mlir::Type type, int64_t value) {
  mlir::OpBuilder builder(op);
  const auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  const auto element = llvm::cast<mlir::IntegerType>(tensor.getElementType());
  const auto number =
      mlir::DenseElementsAttr::get(tensor, llvm::APInt(element.getWidth(), static_cast<uint64_t>(value)));
  return stablehlo::ConstantOp::create(builder, op->getLoc(), number);
}

// Gives the values of a stack their new type.
void Shorten(const Stack& stack, int64_t trips) {
  for (mlir::Value value : stack.values) {
    const auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[static_cast<size_t>(stack.dim)] = trips;
    const auto shorter = mlir::RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    value.setType(shorter);
    mlir::Operation* op = value.getDefiningOp();
    auto constant = op == nullptr ? mlir::DenseElementsAttr()
                                  : llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(op->getAttr("value"));
    if (constant) op->setAttr("value", constant.resizeSplat(shorter));
  }
}

// The only loop in the entry function's body, if its trips are known.
Expected<CountedLoop> LoopOf(mlir::func::FuncOp entry) {
  mlir::Operation* loop = nullptr;
  for (mlir::Operation& op : entry.front()) {
    if (op.getName().getStringRef() != "stablehlo.while") continue;
    if (loop != nullptr) return NotCut("the program has several loops");
    loop = &op;
  }
  if (loop == nullptr) return NotCut("the program is no loop");
  const std::optional<int64_t> trips = TripsOf(*loop);
  const std::optional<CountedRange> range = CountedRangeOf(*loop);
  if (!trips || !range) return NotCut("how often the loop runs is not known before it runs");
  mlir::Operation* compare = loop->getRegion(0).front().getTerminator()->getOperand(0).getDefiningOp();
  auto counter = llvm::dyn_cast<mlir::BlockArgument>(compare->getOperand(0));
  if (!counter || counter.getOwner()->getParentOp() != loop || range->from + *trips != range->to) {
    return NotCut("the loop does not count up by one");
  }
  return CountedLoop(loop, counter.getArgNumber(), range->from, *trips);
}

}  // namespace

Expected<CutLoop> CutLoopTo(mlir::ModuleOp module, int64_t trips) {
  CutLoop result{.module = module.clone()};
  const std::string name = EntryName(*result.module, kMainFunction);
  const Expected<mlir::ModuleOp> inner = FindEntryModule(*result.module, name);
  if (!inner) return Unexpected(inner.error());
  auto entry = llvm::dyn_cast_or_null<mlir::func::FuncOp>(mlir::SymbolTable::lookupSymbolIn(*inner, name));
  if (!entry || !llvm::hasSingleElement(entry.getBody())) return NotCut("the program has no plain entry function");
  const Expected<CountedLoop> loop = LoopOf(entry);
  if (!loop) return Unexpected(loop.error());
  if (loop->trips <= trips) return NotCut(fmt::format("the loop runs {} times only", loop->trips));
  const Calls calls(*inner);
  StackFinder finder(*loop, calls, entry);
  llvm::DenseMap<mlir::Value, bool> taken;
  llvm::SmallVector<Stack> stacks;
  for (unsigned place = 0; place < loop->op->getNumOperands(); ++place) {
    const auto type = StaticTensorOf(loop->op->getOperand(place));
    if (!type || taken.contains(loop->body().getArgument(place))) continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (type.getDimSize(static_cast<unsigned>(dim)) != loop->trips) continue;
      std::optional<Stack> stack = finder.Find(place, dim);
      if (!stack || llvm::any_of(stack->values, [&](mlir::Value value) { return taken.contains(value); })) continue;
      for (mlir::Value value : stack->values) taken[value] = true;
      stacks.push_back(std::move(*stack));
      break;
    }
  }
  mlir::Operation* compare = loop->condition().getTerminator()->getOperand(0).getDefiningOp();
  compare->setOperand(1, IntegerBefore(compare, compare->getOperand(1).getType(), loop->from + trips));
  for (const Stack& stack : stacks) {
    Shorten(stack, trips);
    // The last element has a lower number now.
    for (mlir::OpOperand* index : stack.reversed) {
      mlir::Operation* op = index->getOwner();
      mlir::OpBuilder builder(op);
      const mlir::Value left_out = IntegerBefore(op, index->get().getType(), loop->trips - trips);
      const llvm::SmallVector<mlir::Value, 2> operands = {index->get(), left_out};
      index->set(stablehlo::SubtractOp::create(builder, op->getLoc(), left_out.getType(), operands));
    }
  }
  result.module->walk([](mlir::func::FuncOp function) {
    if (function.isExternal()) return;
    const auto results = function.getBody().back().getTerminator()->getOperandTypes();
    function.setType(mlir::FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(), results));
  });
  result.was = loop->trips;
  for (unsigned place = 0; place < loop->op->getNumOperands(); ++place) {
    result.cut += taken.contains(loop->body().getArgument(place)) ? 1 : 0;
  }
  if (mlir::failed(mlir::verify(*result.module))) return NotCut("the program with fewer trips is not valid");
  return result;
}

}  // namespace opbyop
