#include "generator/walk.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "generator/constants.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop {
namespace {

// Ways to one function that are told apart, and (ways x ops) of one function. Beyond, all ways become one.
constexpr size_t kMaxEntries = 256;
constexpr size_t kMaxEntryOps = 1'000'000;

bool IsCall(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  return name == "func.call" || name == "llvm.call";
}

bool IsTerminator(mlir::Operation* op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>() || op->getNumSuccessors() > 0) return true;
  return !op->isRegistered() && op->getName().getStringRef().ends_with(".return");
}

struct Call {
  int32_t callee;
  mlir::Location site;
};

class Walker {
 public:
  explicit Walker(mlir::ModuleOp module) : module_(module), symbols_(module) {}

  Expected<Walk> Run(std::string_view entry) {
    mlir::Operation* main = symbols_.lookup(llvm::StringRef(entry));
    if (Expected<void> done = Visit(main); !done) return Unexpected(done.error());
    if (Expected<void> done = CountCalls(); !done) return Unexpected(done.error());
    return std::move(walk_);
  }

 private:
  struct Frame {
    int32_t function;
    mlir::Region::iterator block;
    mlir::Block::iterator op;
  };

  enum class State { kOpen, kDone };

  // Depth first with an explicit stack: call chains of any length.
  Expected<void> Visit(mlir::Operation* main) {
    std::vector<Frame> stack;
    Enter(main, stack);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      mlir::Region& body = walk_.functions[frame.function].op->getRegion(0);
      if (frame.block == body.end()) {
        states_[frame.function] = State::kDone;
        finished_.push_back(frame.function);
        stack.pop_back();
        continue;
      }
      if (frame.op == frame.block->end()) {
        if (++frame.block != body.end()) frame.op = frame.block->begin();
        continue;
      }
      mlir::Operation* op = &*frame.op++;
      if (IsTerminator(op) || IsConstant(op)) continue;
      int32_t function = frame.function;
      if (IsCall(op)) {
        Expected<mlir::Operation*> callee = Callee(op);
        if (!callee) return Unexpected(callee.error());
        if (*callee != nullptr) {
          auto [it, is_new] = indices_.try_emplace(*callee, static_cast<int32_t>(walk_.functions.size()));
          calls_[function].push_back({it->second, op->getLoc()});
          if (is_new) {
            Enter(*callee, stack);
          } else if (states_[it->second] == State::kOpen) {
            return MakeError(ExitCode::kBadInput, Circle(stack, it->second));
          }
          continue;
        }
      }
      walk_.ops.push_back({op, function});
      ++ops_in_[function];
    }
    return {};
  }

  void Enter(mlir::Operation* function, std::vector<Frame>& stack) {
    int32_t index = static_cast<int32_t>(walk_.functions.size());
    indices_.try_emplace(function, index);
    walk_.functions.push_back({function});
    states_.push_back(State::kOpen);
    calls_.emplace_back();
    ops_in_.push_back(0);
    mlir::Region& body = function->getRegion(0);
    stack.push_back({index, body.begin(), body.front().begin()});
  }

  // The function that a call enters; nullptr where the callee is only declared or called through a pointer.
  Expected<mlir::Operation*> Callee(mlir::Operation* op) {
    auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>("callee");
    if (!callee) return nullptr;
    mlir::Operation* function = symbols_.lookup(callee.getAttr());
    if (function == nullptr) {
      return MakeError(ExitCode::kBadInput, fmt::format("{} calls @{}, which the module does not define; was a part of "
                                                        "the module cut off?",
                                                        op->getName().getStringRef(), callee.getValue()));
    }
    if (!mlir::isa<mlir::FunctionOpInterface>(function) || function->getNumRegions() != 1 ||
        function->getRegion(0).empty()) {
      return nullptr;
    }
    return function;
  }

  std::string Circle(const std::vector<Frame>& stack, int32_t first) const {
    std::string names;
    bool inside = false;
    for (const Frame& frame : stack) {
      inside |= frame.function == first;
      if (inside) names += fmt::format("@{} -> ", Name(frame.function));
    }
    return fmt::format(
        "functions call each other in a circle ({}@{}), so that their ops cannot be counted; StableHLO "
        "has no recursion, probably a hand-edited module",
        names, Name(first));
  }

  std::string Name(int32_t function) const {
    return mlir::SymbolTable::getSymbolName(walk_.functions[function].op).str();
  }

  // Callers come before callees in reverse finishing order, so every count is final when it is passed on.
  Expected<void> CountCalls() {
    walk_.paths.push_back({-1, walk_.functions[0].op->getLoc()});
    walk_.functions[0].entries.push_back({CallPath::kEntry, 1});
    std::map<std::pair<int32_t, const void*>, int32_t> path_ids;
    std::vector<llvm::DenseMap<int32_t, size_t>> seen(walk_.functions.size());
    for (int32_t caller : llvm::reverse(finished_)) {
      WalkedFunction& function = walk_.functions[caller];
      Settle(function, ops_in_[caller]);
      if (function.count < 0) {
        return MakeError(
            ExitCode::kBadInput,
            fmt::format("@{} is called more than 2^63 times, counting every call site on the way; probably "
                        "a chain of functions that double their calls",
                        Name(caller)));
      }
      for (const Call& call : calls_[caller]) {
        WalkedFunction& callee = walk_.functions[call.callee];
        for (const Entry& entry : function.entries) {
          auto key = std::make_pair(entry.path, call.site.getAsOpaquePointer());
          auto [id, is_new] = path_ids.try_emplace(key, static_cast<int32_t>(walk_.paths.size()));
          if (is_new) walk_.paths.push_back({entry.path, call.site});
          auto [place, first] = seen[call.callee].try_emplace(id->second, callee.entries.size());
          if (first) callee.entries.push_back({id->second, 0});
          int64_t& count = callee.entries[place->second].count;
          if (count < 0 || __builtin_add_overflow(count, entry.count, &count)) count = -1;
        }
      }
    }
    return {};
  }

  // Adds the entries up, and merges them where there are too many. count < 0: more than an int64 holds.
  static void Settle(WalkedFunction& function, size_t ops) {
    function.count = 0;
    for (const Entry& entry : function.entries) {
      if (entry.count < 0 || __builtin_add_overflow(function.count, entry.count, &function.count)) {
        function.count = -1;
        return;
      }
    }
    size_t limit = std::clamp<size_t>(kMaxEntryOps / std::max<size_t>(ops, 1), 1, kMaxEntries);
    if (function.entries.size() > limit) function.entries.assign(1, {CallPath::kEntry, function.count});
  }

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  Walk walk_;
  llvm::DenseMap<mlir::Operation*, int32_t> indices_;
  std::vector<State> states_;
  std::vector<std::vector<Call>> calls_;
  std::vector<size_t> ops_in_;
  std::vector<int32_t> finished_;
};

bool HasEntry(mlir::ModuleOp module, std::string_view entry) {
  mlir::Operation* op = mlir::SymbolTable::lookupSymbolIn(module, llvm::StringRef(entry));
  return op != nullptr && mlir::isa<mlir::FunctionOpInterface>(op) && op->getNumRegions() == 1 &&
         !op->getRegion(0).empty();
}

// "@a, @b and 3 more"; empty where the module has no function.
std::string FunctionNames(mlir::ModuleOp module) {
  constexpr size_t kShown = 4;
  std::string names;
  size_t found = 0;
  for (mlir::Operation& op : *module.getBody()) {
    if (!mlir::isa<mlir::FunctionOpInterface>(op)) continue;
    if (++found <= kShown)
      names += fmt::format("{}@{}", found > 1 ? ", " : "", mlir::SymbolTable::getSymbolName(&op).str());
  }
  if (found > kShown) names += fmt::format(" and {} more", found - kShown);
  return names;
}

}  // namespace

int64_t Walk::TotalOps() const {
  int64_t total = 0;
  for (const ReachedOp& reached : ops) {
    if (__builtin_add_overflow(total, functions[reached.function].count, &total)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return total;
}

Expected<mlir::ModuleOp> FindEntryModule(mlir::ModuleOp module, std::string_view entry) {
  if (HasEntry(module, entry)) return module;
  std::vector<mlir::ModuleOp> nested;
  module.walk([&](mlir::ModuleOp inner) {
    if (inner != module && HasEntry(inner, entry)) nested.push_back(inner);
  });
  if (nested.size() == 1) return nested[0];
  if (nested.size() > 1) {
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("{} nested modules define @{}; which one is the program is not clear", nested.size(), entry));
  }
  std::string names = FunctionNames(module);
  if (names.empty()) {
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("no function @{} and no other function in the module; is this an empty module?", entry));
  }
  return MakeError(ExitCode::kBadInput, fmt::format("no function @{} in the module, only {}; splitting starts at @{}, "
                                                    "name another start with --entry",
                                                    entry, names, entry));
}

Expected<Walk> WalkProgram(mlir::ModuleOp module, std::string_view entry) {
  Expected<mlir::ModuleOp> found = FindEntryModule(module, entry);
  if (!found) return Unexpected(found.error());
  return Walker(*found).Run(entry);
}

}  // namespace opbyop
