// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <memory>

#include "ir/loop_trips.h"
#include "ir/shape_assertion.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/ops/run_on_grid.h"
#include "reference/inputs/shape_operand.h"

namespace opbyop::reference {
namespace {

constexpr int kSeeds = 4;

bool TakesShapes(mlir::Operation* op) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (!ShapeOperandRanges(op, i).empty()) return true;
  }
  return false;
}

bool IsOpenLoop(mlir::Operation* op) { return op->getName().getStringRef() == "stablehlo.while" && !TripsOf(*op); }

// Whether some inputs may prevent the program from running to its end.
bool MayNotRun(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation* op) {
        return IsOpenLoop(op) || IsShapeAssertion(op) || TakesShapes(op) ? mlir::WalkResult::interrupt()
                                                                         : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

// Returns the first op of a region, which every trip of a loop evaluates once. Null if the region has only a
// terminator.
mlir::Operation* FirstOf(mlir::Region& region) {
  mlir::Operation& first = region.front().front();
  return first.hasTrait<mlir::OpTrait::IsTerminator>() ? nullptr : &first;
}
mlir::Operation* CounterOf(mlir::Operation* loop) {
  mlir::Operation* condition = FirstOf(loop->getRegion(0));
  return condition != nullptr ? condition : FirstOf(loop->getRegion(1));
}

// Processor time of this thread. It does not grow while a busy machine runs other work.
double ThreadSeconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Measures the time that a trial has taken: processor time, or a quarter of the wall time if that is more. On a busy
// machine the wall time counts in this way because the stage has a limit of wall time too.
class Stopwatch {
 public:
  bool IsOver(double seconds) const {
    // The wall clock is much cheaper to read, so it is checked first.
    return Wall() > seconds && Spent() > seconds;
  }
  double Spent() const { return std::max(ThreadSeconds() - begin_s_, Wall() / kShare); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kShare = 4;

  double Wall() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  double begin_s_ = ThreadSeconds();
  Clock::time_point begin_ = Clock::now();
};

// Stops an evaluation with inputs that a device could not be run with.
class Guard {
 public:
  explicit Guard(const WorkLimits& limits) : limits_(limits) {}

  Expected<bool> operator()(const OpContext& context) {
    if (IsOpenLoop(context.op)) {
      if (Expected<void> started = BeginLoop(context); !started) return Unexpected(started.error());
    }
    const auto counter = counters_.find(context.op);
    if (counter != counters_.end()) trips_ = ++counter->second;
    const double seconds =
        trips_ < kManyTrips ? limits_.seconds : std::min(limits_.seconds, limits_.seconds_of_many_trips);
    if (trips_ > 0 && watch_.IsOver(seconds)) {
      return context.Fail(ExitCode::kBadInput, fmt::format("the loop around it has not ended after {:.2g} s of "
                                                           "processor time, in {} trips",
                                                           seconds, trips_));
    }
    if (TakesShapes(context.op)) {
      if (Expected<void> fits = CheckShape(context); !fits) return Unexpected(fits.error());
    }
    return false;
  }

 private:
  Expected<void> BeginLoop(const OpContext& context) {
    if (mlir::Operation* counter = CounterOf(context.op)) {
      counters_[counter] = 0;
      return {};
    }
    mlir::Block& condition = context.op->getRegion(0).front();
    auto seen = llvm::dyn_cast<mlir::BlockArgument>(condition.getTerminator()->getOperand(0));
    const bool goes_on = seen && seen.getOwner() == &condition && context.in(seen.getArgNumber()).IntegerAt(0) != 0;
    if (!goes_on) return {};
    return context.Fail(ExitCode::kBadInput, "the loop computes nothing and has no end");
  }

  // Checks the shape of a result whose extents are the values of an operand.
  Expected<void> CheckShape(const OpContext& context) const {
    const llvm::StringRef name = context.op->getName().getStringRef();
    const bool names_extents = name == "stablehlo.dynamic_iota" || name == "stablehlo.dynamic_reshape" ||
                               name == "stablehlo.dynamic_broadcast_in_dim";
    if (!names_extents) return {};
    const Expected<ElementType> type = context.ResultType();
    if (!type) return {};
    double bytes = static_cast<double>(StorageBytes(KindOf(*type)));
    for (const int64_t extent : context.in(context.size() - 1).Integers()) {
      if (extent < 0) return context.Fail(ExitCode::kBadInput, fmt::format("a shape with the extent {}", extent));
      bytes *= static_cast<double>(extent);
    }
    if (bytes <= limits_.bytes) return {};
    return context.Fail(ExitCode::kBadInput,
                        fmt::format("a result of {:.1f} GB, limit {:.1f} GB", bytes / 1e9, limits_.bytes / 1e9));
  }

  static constexpr int64_t kManyTrips = 10'000;

  WorkLimits limits_;
  Stopwatch watch_;
  int64_t trips_ = 0;  // trips of the loop that was counted last
  llvm::DenseMap<mlir::Operation*, int64_t> counters_;
};

// Returns why the program cannot be run with these inputs. Empty if it can, or if the reference fails for reasons that
// have nothing to do with the inputs.
std::string WhyUnfit(mlir::ModuleOp module, const std::vector<InputData>& inputs, const WorkLimits& limits,
                     const Grid& grid) {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return {};
  Values arguments;
  for (const InputData& input : inputs) {
    Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return {};
    arguments.emplace_back(std::move(*tensor));
  }
  const EvalOptions options{.hook = GuardOf(module, limits)};
  const Expected<Values> results = EvaluateOnGrid(module, *entry, options, grid, std::move(arguments));
  if (results) return {};
  const ExitCode code = results.error().code;
  const bool inputs_fault = code == ExitCode::kBadInput || code == ExitCode::kUnexpectedResult;
  return inputs_fault ? results.error().message : "";
}

// Draws the inputs of all processes.
Expected<std::vector<InputData>> DrawAll(const DrawInputs& draw, const std::string& id, const Grid& grid,
                                         LargeInputs large) {
  std::vector<InputData> all;
  for (int64_t process = 0; process < grid.processes(); ++process) {
    Expected<std::vector<InputData>> inputs =
        draw(process == 0 ? id : fmt::format("{}, process {}", id, process), large);
    if (!inputs) return inputs;
    std::ranges::move(*inputs, std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::function<Expected<bool>(OpContext&, Values&)> GuardOf(mlir::ModuleOp module, const WorkLimits& limits) {
  if (!MayNotRun(module)) return {};
  const auto guard = std::make_shared<Guard>(limits);
  return [guard](OpContext& context, Values&) { return (*guard)(context); };
}

Expected<GeneratedInputs> GenerateInputs(mlir::ModuleOp module, const DrawInputs& draw, std::string_view case_id,
                                         const WorkLimits& limits, const Grid& grid, LargeInputs large) {
  GeneratedInputs drawn;
  const bool tries = MayNotRun(module);
  if (tries) large = LargeInputs::kWhole;
  const Stopwatch search;
  std::string why;
  for (int attempt = 0; attempt < kSeeds; ++attempt) {
    const double left_s = limits.seconds - search.Spent();
    WorkLimits share = limits;
    share.seconds = attempt + 1 < kSeeds ? left_s / 2 : left_s;
    const std::string id = attempt == 0 ? std::string(case_id) : fmt::format("{}, draw {}", case_id, attempt + 1);
    Expected<std::vector<InputData>> inputs = DrawAll(draw, id, grid, large);
    if (!inputs) return Unexpected(inputs.error());
    const Stopwatch trial;
    const std::string unfit = tries ? WhyUnfit(module, *inputs, share, grid) : "";
    if (attempt == 0) why = unfit;
    if (!unfit.empty()) {
      drawn.out_of_time = drawn.out_of_time || trial.IsOver(share.seconds);
      continue;
    }
    drawn.out_of_time = false;
    drawn.inputs = std::move(*inputs);
    if (attempt > 0) drawn.note = fmt::format("draw {}: {}", attempt + 1, why);
    return drawn;
  }
  drawn.unfit = fmt::format("not runnable with any of {} sets of generated inputs: {}", kSeeds, why);
  if (drawn.out_of_time) drawn.unfit += fmt::format("; the limit of the search is {:.2g} s", limits.seconds);
  return drawn;
}

Expected<GeneratedInputs> GenerateInputs(mlir::ModuleOp module, InputKind kind, std::string_view case_id, uint64_t seed,
                                         const WorkLimits& limits, const Grid& grid, LargeInputs large) {
  const auto draw = [&](std::string_view id, LargeInputs as) { return MakeInputs(module, kind, SeedOf(id, seed), as); };
  return GenerateInputs(module, draw, case_id, limits, grid, large);
}

}  // namespace opbyop::reference
