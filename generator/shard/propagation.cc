// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "ir/sharding/read_sharding.h"
#include "ir/sharding/sharding_rule.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/sharding/sharding_text.h"

namespace opbyop::generator {
namespace {

constexpr llvm::StringLiteral kMhloSharding = "mhlo.sharding";

bool IsTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

}  // namespace

// Values that are divided together: operands and results of an op, or the ends of an edge such as a call's operand and
// the callee's argument.
class Propagation {
 public:
  explicit Propagation(mlir::ModuleOp module) : module_(module), symbols_(module) {}

  Shardings Run() {
    for (sdy::MeshOp mesh : module_.getOps<sdy::MeshOp>()) {
      const int64_t size = mesh.getMesh().Size();
      if (size <= kMostDevices) shardings_.devices_ = std::max(shardings_.devices_, size);  // else no sharding names it
    }
    Visit(module_);
    if (!shardings_.any()) return std::move(shardings_);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Site& site : sites_) changed |= Spread(site);
      for (const Site& site : llvm::reverse(sites_)) changed |= Spread(site);
    }
    return std::move(shardings_);
  }

 private:
  struct Part {
    mlir::Value value;
    ShardingRule::Factors factors;
  };
  struct Site {
    std::vector<Part> parts;
    int factors = 0;
  };

  void Visit(mlir::Operation* root) {
    root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      for (mlir::Value result : op->getResults()) State(result, sdy::ShardingOf(result), op);
      if (auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op)) VisitFunction(function);
      if (auto text = op->getAttrOfType<mlir::StringAttr>(kMhloSharding); text && op->getNumResults() == 1) {
        State(op->getResult(0), text);
      }
      if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op)) {
        for (const auto [operand, sharding] : llvm::zip(op->getOperands(), manual.getInShardings().getShardings())) {
          State(operand, sharding, op);
        }
        return mlir::WalkResult::skip();
      }
      AddSites(op);
      return mlir::WalkResult::advance();
    });
  }

  void VisitFunction(mlir::FunctionOpInterface function) {
    if (function.isExternal()) return;
    mlir::Block& body = function.getFunctionBody().front();
    for (mlir::BlockArgument argument : body.getArguments()) {
      State(argument, sdy::ShardingOf(argument), function);
      State(argument, function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), kMhloSharding));
    }
    mlir::Operation* end = body.empty() ? nullptr : &body.back();
    if (end == nullptr || end->getNumOperands() != function.getNumResults()) return;
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      const mlir::Value value = end->getOperand(i);
      State(value, function.getResultAttrOfType<sdy::TensorShardingAttr>(i, sdy::kShardingName), function);
      State(value, function.getResultAttrOfType<mlir::StringAttr>(i, kMhloSharding));
    }
  }

  void State(mlir::Value value, sdy::TensorShardingAttr sharding, mlir::Operation* op) {
    if (!sharding || !IsTensor(value)) return;
    if (!sharding.getUnreducedAxes().empty()) LeaveOut(value, "it is unreduced: its parts are not added up yet");
    State(value, ReadSharding(sharding, SizesOf(value).size(), op));
  }

  void State(mlir::Value value, mlir::StringAttr text) {
    if (text && IsTensor(value)) State(value, ParseSharding(text.getValue(), SizesOf(value).size()));
  }

  // The first statement about a dimension counts: that of the op that makes the value comes before those of its users.
  void State(mlir::Value value, const Expected<Sharding>& stated) {
    if (!stated) LeaveOut(value, stated.error().message, false);
    if (!stated || stated->empty()) return;
    Sharding& known = Of(value);
    for (size_t i = 0; i < known.size(); ++i) {
      const std::optional<Axes>& axes = (*stated)[i];
      if (known[i] || !axes) continue;
      if (!Fits(value, known, i, *axes)) {
        LeaveOut(value, WhyNot(value, i, *axes));
        continue;
      }
      known[i] = axes;
      ++shardings_.stated_[value];
      for (const Axis& axis : *axes) shardings_.devices_ = std::max(shardings_.devices_, axis.stride * axis.size);
    }
  }

  // Notes a statement about a value once: several ops may repeat it.
  void LeaveOut(mlir::Value value, std::string why, bool is_understood = true) {
    Shardings::LeftOut note = {NameOfValue(value), std::move(why), is_understood};
    if (noted_.insert(note.value + note.why).second) shardings_.left_out_.push_back(std::move(note));
  }

  // Why a dimension cannot be divided by these axes (Fits).
  static std::string WhyNot(mlir::Value value, size_t dimension, llvm::ArrayRef<Axis> axes) {
    const int64_t size = SizesOf(value)[dimension];
    if (mlir::ShapedType::isDynamic(size)) return fmt::format("dimension {} has no size", dimension);
    if (size == 0) return fmt::format("dimension {} has no elements", dimension);
    return fmt::format("dimension {} is divided by an axis that divides another dimension too", dimension);
  }

  Sharding& Of(mlir::Value value) {
    Sharding& sharding = shardings_.of_[value];
    if (sharding.empty()) sharding.resize(SizesOf(value).size());
    return sharding;
  }

  // Whether a dimension can be divided by these axes: it has elements, and no other dimension is divided by them.
  static bool Fits(mlir::Value value, const Sharding& known, size_t dimension, llvm::ArrayRef<Axis> axes) {
    const int64_t size = SizesOf(value)[dimension];
    if (axes.empty()) return true;
    if (mlir::ShapedType::isDynamic(size) || size == 0) return false;
    for (size_t i = 0; i < known.size(); ++i) {
      if (i != dimension && known[i] && Overlap(*known[i], axes)) return false;
    }
    return true;
  }

  void AddSites(mlir::Operation* op) {
    if (StatesSharding(op) || mlir::isa<stablehlo::OptimizationBarrierOp>(op)) {
      AddEdges(op->getOperands(), op->getResults());
    } else if (mlir::isa<stablehlo::WhileOp>(op)) {
      AddEdges(op->getOperands(), op->getResults());
      for (mlir::Region& region : op->getRegions()) AddEdges(op->getOperands(), region.getArguments());
      AddReturns(op, op->getRegion(1));
    } else if (mlir::isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
      for (mlir::Region& region : op->getRegions()) AddReturns(op, region);
    } else if (mlir::Region* callee = CalleeOf(op)) {
      AddEdges(op->getOperands(), callee->getArguments());
      AddReturns(op, *callee);
    } else if (std::optional<ShardingRule> rule = RuleOf(op)) {
      Site site{.parts = {}, .factors = rule->factors};
      for (const auto [value, factors] : llvm::zip(op->getResults(), rule->results))
        site.parts.push_back({value, factors});
      for (const auto [value, factors] : llvm::zip(op->getOperands(), rule->operands)) {
        site.parts.push_back({value, factors});
      }
      sites_.push_back(std::move(site));
    }
  }

  mlir::Region* CalleeOf(mlir::Operation* op) {
    for (const llvm::StringRef key : {"callee", "decomposition"}) {
      const auto symbol = op->getAttrOfType<mlir::FlatSymbolRefAttr>(key);
      mlir::Operation* callee = symbol ? symbols_.lookup(symbol.getAttr()) : nullptr;
      auto function = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(callee);
      if (function && !function.isExternal()) return &function.getFunctionBody();
    }
    return nullptr;
  }

  void AddReturns(mlir::Operation* op, mlir::Region& region) {
    if (region.empty() || region.front().empty()) return;
    AddEdges(region.front().back().getOperands(), op->getResults());
  }

  void AddEdges(mlir::ValueRange from, mlir::ValueRange to) {
    if (from.size() != to.size()) return;
    for (const auto [a, b] : llvm::zip(from, to)) {
      if (!IsTensor(a) || !IsTensor(b) || SizesOf(a) != SizesOf(b)) continue;
      Site site{.parts = {}, .factors = static_cast<int>(SizesOf(a).size())};
      ShardingRule::Factors factors;
      for (int i = 0; i < site.factors; ++i) factors.push_back(i);
      site.parts = {{a, factors}, {b, factors}};
      sites_.push_back(std::move(site));
    }
  }

  // Divides further dimensions of a site by the axes that another dimension of the same factor has: evenly, or one of the
  // same size, whose parts have their padding in the same place.
  bool Spread(const Site& site) {
    llvm::SmallVector<Axes, 8> axes(static_cast<size_t>(site.factors));
    llvm::SmallVector<int64_t, 8> sizes(axes.size());  // of the dimensions that have them
    for (const Part& part : site.parts) {
      const auto found = shardings_.of_.find(part.value);
      if (found == shardings_.of_.end()) continue;
      for (const auto [factor, known, size] : llvm::zip(part.factors, found->second, SizesOf(part.value))) {
        if (factor == ShardingRule::kWhole || !known) continue;
        Axes& own = axes[static_cast<size_t>(factor)];
        if (!own.empty()) continue;
        own = *known;
        sizes[static_cast<size_t>(factor)] = size;
      }
    }
    bool changed = false;
    for (const Part& part : site.parts) {
      for (const auto [i, factor] : llvm::enumerate(part.factors)) {
        if (factor == ShardingRule::kWhole) continue;
        const Axes& wanted = axes[static_cast<size_t>(factor)];
        if (wanted.empty()) continue;
        Sharding& known = Of(part.value);
        const int64_t size = SizesOf(part.value)[i];
        const bool fits = size == sizes[static_cast<size_t>(factor)] || size % PartsOf(wanted) == 0;
        if (known[i] || !fits || !Fits(part.value, known, i, wanted)) continue;
        known[i] = wanted;
        changed = true;
      }
    }
    return changed;
  }

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  Shardings shardings_;
  std::vector<Site> sites_;
  llvm::StringSet<> noted_;
};

llvm::ArrayRef<Axis> Shardings::AxesOf(mlir::Value value, size_t dimension) const {
  const auto found = of_.find(value);
  if (found == of_.end() || !found->second[dimension]) return {};
  return *found->second[dimension];
}

bool Shardings::IsStated(mlir::Value value) const {
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return !tensor || stated_.lookup(value) == static_cast<size_t>(tensor.getRank());
}

Shardings PropagateShardings(mlir::ModuleOp module) { return Propagation(module).Run(); }

std::vector<std::string> NotesOf(const Shardings& shardings) {
  std::vector<std::string> notes;
  notes.reserve(shardings.left_out().size());
  for (const Shardings::LeftOut& note : shardings.left_out()) notes.push_back(note.value + ": " + note.why);
  return notes;
}

std::string NameOfValue(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (op == nullptr) {
    const auto argument = mlir::cast<mlir::BlockArgument>(value);
    op = argument.getOwner()->getParentOp();
    if (auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op)) {
      return fmt::format("argument {} of @{}", argument.getArgNumber(), std::string_view(function.getName()));
    }
    return fmt::format("argument {} of a region of {}", argument.getArgNumber(),
                       std::string_view(op->getName().getStringRef()));
  }
  std::string name = fmt::format("result {} of {}", mlir::cast<mlir::OpResult>(value).getResultNumber(),
                                 std::string_view(op->getName().getStringRef()));
  const auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  if (!place) return name;
  return fmt::format("{} ({}:{}:{})", name, std::string_view(place.getFilename().getValue()), place.getLine(),
                     place.getColumn());
}

}  // namespace opbyop::generator
