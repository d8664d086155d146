// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/expanded_program.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ir/entry_function.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {
namespace {

// One replaced call. `parent` is the one whose callee had the call, or kNone.
struct Replaced {
  static constexpr int32_t kNone = -1;

  int32_t parent;
  mlir::Location site;
};

class Expander {
 public:
  // Callees are taken from `original`, which `copy` is a copy of, so that each is cloned as it was written. The copies of
  // their ops are added to `original_of`.
  Expander(mlir::ModuleOp original, mlir::ModuleOp copy, WalkOptions options,
           llvm::DenseMap<mlir::Operation*, mlir::Operation*>& original_of)
      : original_(original),
        copy_(copy),
        inlines_composites_(options.composites == Composites::kInline),
        original_of_(original_of) {}

  // Returns false if the program becomes too large.
  bool Expand(std::string_view entry) {
    Open(copy_.lookup(llvm::StringRef(entry)));
    while (!open_.empty()) {
      mlir::Block* block = open_.back();
      open_.pop_back();
      for (auto op = block->begin(); op != block->end();) {
        mlir::Operation* here = &*op;
        if (std::optional<mlir::Operation*> first = Replace(here)) {
          if (ops_ > kMostExpanded) return false;
          op = (*first)->getIterator();
          continue;
        }
        ++op;
        for (mlir::Region& region : here->getRegions()) Open(region);
        const auto body = here->getAttrOfType<mlir::FlatSymbolRefAttr>(kDecompositionAttribute);
        if (body) Open(copy_.lookup(body.getAttr()));
      }
    }
    return true;
  }

  // Gives each op the call paths that it had before its calls were replaced.
  void RestorePaths(Walk& walk) {
    std::map<std::pair<int32_t, int32_t>, int32_t> functions;  // by function and replaced call
    for (ReachedOp& reached : walk.ops) {
      const int32_t call = CallOf(reached.op);
      if (call == Replaced::kNone) continue;
      const auto [place, is_new] =
          functions.try_emplace({reached.function, call}, static_cast<int32_t>(walk.functions.size()));
      if (is_new) {
        WalkedFunction function = walk.functions[static_cast<size_t>(reached.function)];
        for (Entry& entry : function.entries) entry.path = PathTo(entry.path, call, walk);
        walk.functions.push_back(std::move(function));
      }
      reached.function = place->second;
    }
  }

 private:
  void Open(mlir::Region& region) {
    for (mlir::Block& block : region) open_.push_back(&block);
  }

  void Open(mlir::Operation* function) {
    if (function == nullptr || !seen_.insert(function).second) return;
    for (mlir::Region& region : function->getRegions()) Open(region);
  }

  // The replaced call that brought the op, or kNone.
  int32_t CallOf(mlir::Operation* op) const {
    for (; op != nullptr; op = op->getParentOp()) {
      if (const auto found = call_of_.find(op); found != call_of_.end()) return found->second;
    }
    return Replaced::kNone;
  }

  // The body of the function that the op calls, if it can take the place of the call.
  mlir::Block* CalleeOf(mlir::Operation* op) const {
    const llvm::StringRef key = CalleeAttribute(op, inlines_composites_);
    const auto name = key.empty() ? nullptr : op->getAttrOfType<mlir::FlatSymbolRefAttr>(key);
    auto callee = name ? mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(original_.lookup(name.getAttr())) : nullptr;
    if (!callee || callee->getNumRegions() != 1 || !llvm::hasSingleElement(callee->getRegion(0))) return nullptr;
    mlir::Block& body = callee->getRegion(0).front();
    const bool fits = !body.empty() && body.back().hasTrait<mlir::OpTrait::IsTerminator>() &&
                      llvm::equal(body.getArgumentTypes(), op->getOperandTypes()) &&
                      llvm::equal(body.back().getOperandTypes(), op->getResultTypes());
    return fits ? &body : nullptr;
  }

  // Puts the ops of the callee in place of the call. Returns the first of them, or the op after the call; nullopt if the
  // op stays.
  std::optional<mlir::Operation*> Replace(mlir::Operation* call) {
    mlir::Block* body = CalleeOf(call);
    if (body == nullptr) return std::nullopt;
    const auto number = static_cast<int32_t>(replaced_.size());
    replaced_.push_back({CallOf(call), call->getLoc()});
    mlir::IRMapping mapping;
    mapping.map(body->getArguments(), call->getOperands());
    mlir::OpBuilder builder(call);
    mlir::Operation* first = nullptr;
    ++ops_;  // also for a callee without ops, as a chain of functions that double their calls may end in one
    for (mlir::Operation& op : body->without_terminator()) {
      mlir::Operation* clone = builder.clone(op, mapping);
      call_of_[clone] = number;
      ++ops_;
      if (first == nullptr) first = clone;
    }
    if (first == nullptr) first = call->getNextNode();
    for (auto [result, returned] : llvm::zip(call->getResults(), body->back().getOperands())) {
      result.replaceAllUsesWith(mapping.lookup(returned));
    }
    for (const auto& [op, clone] : mapping.getOperationMap()) original_of_[clone] = op;
    call_of_.erase(call);
    call->erase();
    return first;
  }

  // The call path of the replaced call on the path `base`.
  int32_t PathTo(int32_t base, int32_t call, Walk& walk) {
    std::vector<int32_t> open;
    int32_t path = base;
    for (int32_t at = call; at != Replaced::kNone; at = replaced_[static_cast<size_t>(at)].parent) {
      if (const auto known = paths_.find({base, at}); known != paths_.end()) {
        path = known->second;
        break;
      }
      open.push_back(at);
    }
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      walk.paths.push_back({path, replaced_[static_cast<size_t>(*at)].site});
      path = static_cast<int32_t>(walk.paths.size()) - 1;
      paths_[{base, *at}] = path;
    }
    return path;
  }

  mlir::SymbolTable original_;
  mlir::SymbolTable copy_;
  bool inlines_composites_;
  llvm::DenseMap<mlir::Operation*, mlir::Operation*>& original_of_;
  int64_t ops_ = 0;  // of replaced calls, and the calls themselves
  std::vector<mlir::Block*> open_;
  llvm::DenseSet<mlir::Operation*> seen_;
  std::vector<Replaced> replaced_;
  llvm::DenseMap<mlir::Operation*, int32_t> call_of_;  // into replaced_, for the ops of the callees, not those in them
  std::map<std::pair<int32_t, int32_t>, int32_t> paths_;
};

tl::unexpected<Error> TooLarge() {
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("has more than {} ops and calls, every call site counted, too many for cases of several "
                               "ops; split it op by op",
                               kMostExpanded));
}

}  // namespace

Expected<ExpandedProgram> ExpandCalls(mlir::ModuleOp outer, std::string_view entry, WalkOptions options) {
  const Expected<mlir::ModuleOp> original = FindEntryModule(outer, entry);
  if (!original) return Unexpected(original.error());
  // This also finds that no function calls itself.
  const Expected<Walk> before = WalkProgram(*original, entry, options);
  if (!before) return Unexpected(before.error());
  if (before->TotalOps() > kMostExpanded) return TooLarge();
  mlir::IRMapping mapping;
  ExpandedProgram program{.outer = mlir::cast<mlir::ModuleOp>(outer->clone(mapping))};
  for (const auto& [op, clone] : mapping.getOperationMap()) program.original[clone] = op;
  program.module = *FindEntryModule(*program.outer, entry);
  Expander expander(*original, program.module, options, program.original);
  if (!expander.Expand(entry)) return TooLarge();
  Expected<Walk> walk = WalkProgram(program.module, entry, options);
  if (!walk) return Unexpected(walk.error());
  program.walk = std::move(*walk);
  expander.RestorePaths(program.walk);
  return program;
}

}  // namespace opbyop::generator
