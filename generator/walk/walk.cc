// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/walk/walk.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "generator/program/case_writer.h"
#include "generator/program/constants.h"
#include "ir/entry_function.h"
#include "ir/loop_trips.h"
#include "ir/sdy/sdy.h"
#include "ir/vendor_dialects.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace opbyop::generator {
namespace {

// The most call paths to one function that are kept apart, and the most (call paths x ops) of one function. Beyond
// these, all call paths become one.
constexpr size_t kMaxEntries = 256;
constexpr size_t kMaxEntryOps = 1'000'000;

bool IsCall(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  return name == "func.call" || name == "llvm.call";
}

bool IsComposite(mlir::Operation* op) { return op->getName().getStringRef() == "stablehlo.composite"; }

bool IsHousekeeping(mlir::Operation* op) {
  return VendorPartOf(op->getName().getStringRef()) == VendorPart::kHousekeeping;
}

bool IsTerminator(mlir::Operation* op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>() || op->getNumSuccessors() > 0) return true;
  llvm::StringRef name = op->getName().getStringRef();
  return !op->isRegistered() && (name.ends_with(".return") || name.ends_with(".yield"));
}

// Whether the bodies of the op are programs of their own, unlike those of a reduction or a sort.
bool IsControlFlow(mlir::Operation* op) {
  if (op->getNumRegions() == 0) return false;
  if (mlir::isa<mlir::RegionBranchOpInterface>(op)) return true;
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases({"stablehlo.while", "stablehlo.if", "stablehlo.case", "stablehlo.async_start"}, true)
      .Cases({"tosa.cond_if", "tosa.while_loop", "sdy.manual_computation"}, true)
      .Default(false);
}

// Whether the body of the op is the program of one device among several (jax.shard_map): such an op is like a call. In
// a per-op file it is the op under test instead.
bool IsPartOfProgram(mlir::Operation* op, mlir::ModuleOp module) {
  return mlir::isa<sdy::ManualComputationOp>(op) && !module->hasAttr(kCaseAttribute);
}

// "while.body", "case.2", "scf.if.0"
std::string RegionLabel(mlir::Operation* op, unsigned region) {
  constexpr llvm::StringLiteral kHome = "stablehlo.";
  llvm::StringRef name = op->getName().getStringRef();
  name.consume_front(kHome);
  std::string part = std::to_string(region);
  if (name == "while") part = region == 0 ? "cond" : "body";
  if (name == "if") part = region == 0 ? "true" : "false";
  return fmt::format("{}.{}", std::string_view(name), part);
}

// How often a region runs each time that its op does; 0 if that is not known.
int64_t TripsOfRegion(mlir::Operation& op, unsigned region) {
  if (mlir::isa<mlir::LoopLikeOpInterface>(op)) return 0;
  if (op.getName().getStringRef() != "stablehlo.while") return 1;
  const std::optional<int64_t> trips = TripsOf(op);
  if (!trips || *trips > kMostOps) return 0;
  return region == 0 ? *trips + 1 : *trips;
}

struct Call {
  int32_t callee;
  mlir::Location site;
  int32_t region;
};

class Walker {
 public:
  Walker(mlir::ModuleOp module, WalkOptions options) : module_(module), symbols_(module), options_(options) {
    walk_.regions.emplace_back();
  }

  Expected<Walk> Run(std::string_view entry) {
    mlir::Operation* main = symbols_.lookup(llvm::StringRef(entry));
    if (Expected<void> done = Visit(main); !done) return Unexpected(done.error());
    if (Expected<void> done = CountCalls(); !done) return Unexpected(done.error());
    return std::move(walk_);
  }

 private:
  struct Frame {
    int32_t function;
    int32_t region;  // kNone: the body of the function itself
    mlir::Region* body;
    mlir::Region::iterator block;
    mlir::Block::iterator op;
  };

  enum class State { kOpen, kDone };

  // Depth first with an explicit stack, because call chains may have any length.
  Expected<void> Visit(mlir::Operation* main) {
    std::vector<Frame> stack;
    Enter(main, stack);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.block == frame.body->end()) {
        if (frame.region == WalkedRegion::kNone) {
          states_[frame.function] = State::kDone;
          finished_.push_back(frame.function);
        }
        stack.pop_back();
        continue;
      }
      if (frame.op == frame.block->end()) {
        if (++frame.block != frame.body->end()) frame.op = frame.block->begin();
        continue;
      }
      mlir::Operation* op = &*frame.op++;
      if (IsTerminator(op) || IsConstant(op) || IsHousekeeping(op)) continue;
      int32_t function = frame.function;
      int32_t region = frame.region;
      if (llvm::StringRef key = CalleeAttribute(op, options_.composites == Composites::kInline); !key.empty()) {
        Expected<mlir::Operation*> callee = Callee(op, key);
        if (!callee) return Unexpected(callee.error());
        if (*callee != nullptr) {
          if (Expected<void> done = EnterCallee(*callee, {0, op->getLoc(), region}, function, stack); !done)
            return done;
          continue;
        }
      }
      walk_.ops.push_back({op, function, region});
      ++ops_in_[function];
      if ((options_.inside_regions && IsControlFlow(op)) || IsPartOfProgram(op, module_)) {
        EnterRegions(op, function, region, stack);
      }
      if (Expected<void> done = EnterDecomposition(op, function, region, stack); !done) return done;
    }
    return {};
  }

  // Walks the function, unless it is walked already, and notes the call.
  Expected<void> EnterCallee(mlir::Operation* callee, Call call, int32_t caller, std::vector<Frame>& stack) {
    auto [it, is_new] = indices_.try_emplace(callee, static_cast<int32_t>(walk_.functions.size()));
    call.callee = it->second;
    calls_[caller].push_back(call);
    if (is_new) {
      Enter(callee, stack);
    } else if (states_[it->second] == State::kOpen) {
      return MakeError(ExitCode::kBadInput, Circle(stack, it->second));
    }
    return {};
  }

  // The ops of a decomposition come after the composite, in a region of its name.
  Expected<void> EnterDecomposition(mlir::Operation* op, int32_t function, int32_t region, std::vector<Frame>& stack) {
    if (options_.composites != Composites::kInside || !IsComposite(op)) return {};
    Expected<mlir::Operation*> callee = Callee(op, kDecompositionAttribute);
    if (!callee) return Unexpected(callee.error());
    if (*callee == nullptr) return {};
    const auto name = op->getAttrOfType<mlir::StringAttr>("name");
    const auto inside = static_cast<int32_t>(walk_.regions.size());
    walk_.regions.push_back({region, fmt::format("composite.{}", name ? std::string_view(name.getValue()) : "")});
    return EnterCallee(*callee, {0, op->getLoc(), inside}, function, stack);
  }

  // The first region ends up on top of the stack.
  void EnterRegions(mlir::Operation* op, int32_t function, int32_t around, std::vector<Frame>& stack) {
    int32_t first = static_cast<int32_t>(walk_.regions.size());
    for (unsigned i = 0; i < op->getNumRegions(); ++i) {
      walk_.regions.push_back({around, RegionLabel(op, i), TripsOfRegion(*op, i)});
    }
    for (unsigned i = op->getNumRegions(); i-- > 0;) {
      mlir::Region& body = op->getRegion(i);
      if (!body.empty()) {
        stack.push_back({function, first + static_cast<int32_t>(i), &body, body.begin(), body.front().begin()});
      }
    }
  }

  void Enter(mlir::Operation* function, std::vector<Frame>& stack) {
    int32_t index = static_cast<int32_t>(walk_.functions.size());
    indices_.try_emplace(function, index);
    walk_.functions.push_back({function});
    states_.push_back(State::kOpen);
    calls_.emplace_back();
    ops_in_.push_back(0);
    mlir::Region& body = function->getRegion(0);
    stack.push_back({index, WalkedRegion::kNone, &body, body.begin(), body.front().begin()});
  }

  // The function that a call enters, or nullptr if the callee is only declared or called through a pointer.
  Expected<mlir::Operation*> Callee(mlir::Operation* op, llvm::StringRef key) {
    auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>(key);
    if (!callee) return nullptr;
    mlir::Operation* function = symbols_.lookup(callee.getAttr());
    if (function == nullptr) {
      return MakeError(ExitCode::kBadInput, fmt::format("{} calls @{}, which the module does not define; was a part of "
                                                        "the module cut off?",
                                                        std::string_view(op->getName().getStringRef()),
                                                        std::string_view(callee.getValue())));
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
      if (frame.region != WalkedRegion::kNone) continue;
      inside |= frame.function == first;
      if (inside) names += fmt::format("@{} -> ", Name(frame.function));
    }
    return fmt::format(
        "functions call each other in a cycle ({}@{}), so that their ops cannot be counted; StableHLO "
        "has no recursion, probably a hand-edited module",
        names, Name(first));
  }

  std::string Name(int32_t function) const {
    return mlir::SymbolTable::getSymbolName(walk_.functions[function].op).str();
  }

  // In reverse finishing order, callers come before callees, so every count is final when it is passed on.
  Expected<void> CountCalls() {
    walk_.paths.push_back({-1, walk_.functions[0].op->getLoc()});
    walk_.functions[0].entries.push_back({CallPath::kEntry, 1});
    std::map<std::tuple<int32_t, const void*, int32_t>, int32_t> path_ids;
    std::vector<llvm::DenseMap<int32_t, size_t>> seen(walk_.functions.size());
    for (int32_t caller : llvm::reverse(finished_)) {
      WalkedFunction& function = walk_.functions[caller];
      SumAndMergeEntries(function, ops_in_[caller]);
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
          auto key = std::make_tuple(entry.path, call.site.getAsOpaquePointer(), call.region);
          auto [id, is_new] = path_ids.try_emplace(key, static_cast<int32_t>(walk_.paths.size()));
          if (is_new) walk_.paths.push_back({entry.path, call.site, call.region});
          auto [place, first] = seen[call.callee].try_emplace(id->second, callee.entries.size());
          if (first) callee.entries.push_back({id->second, 0});
          int64_t& count = callee.entries[place->second].count;
          if (count < 0 || __builtin_add_overflow(count, entry.count, &count)) count = -1;
        }
      }
    }
    return {};
  }

  // Adds the entries up, and merges them if there are too many. A negative count means more than an int64 holds.
  static void SumAndMergeEntries(WalkedFunction& function, size_t ops) {
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
  WalkOptions options_;
  Walk walk_;
  llvm::DenseMap<mlir::Operation*, int32_t> indices_;
  std::vector<State> states_;
  std::vector<std::vector<Call>> calls_;
  std::vector<size_t> ops_in_;
  std::vector<int32_t> finished_;
};

}  // namespace

llvm::StringRef CalleeAttribute(mlir::Operation* op, bool inlines_composites) {
  if (IsCall(op)) return "callee";
  return inlines_composites && IsComposite(op) ? llvm::StringRef(kDecompositionAttribute) : "";
}

int64_t Walk::TotalOps() const {
  int64_t total = 0;
  for (const ReachedOp& reached : ops) {
    if (__builtin_add_overflow(total, functions[reached.function].count, &total)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return total;
}

Expected<Walk> WalkProgram(mlir::ModuleOp module, std::string_view entry, WalkOptions options) {
  Expected<mlir::ModuleOp> found = FindEntryModule(module, entry);
  if (!found) return Unexpected(found.error());
  return Walker(*found, options).Run(entry);
}

}  // namespace opbyop::generator
