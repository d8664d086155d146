// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "chained/op_runner.h"
#include "chained/streams.h"
#include "generator/program/constants.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/last_uses.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using reference::InputData;
using reference::LastUses;

using optrace::Section;

class Chain {
 public:
  Chain(CaseMap& map, const ProgramPlan& plan, ChainDevice& device, ChainRecorder& recorder,
        const ChainOptions& options)
      : map_(map), plan_(plan), recorder_(recorder), options_(options), runner_(map, plan, device, recorder, options) {}

  Expected<std::vector<InputData>> Run(const std::vector<InputData>& inputs) {
    runner_.Prepare();
    Expected<std::vector<InputData>> outputs;
    for (int64_t i = 0; outputs && i < std::max<int64_t>(1, options_.iterations); ++i) {
      runner_.BeginIteration(i);
      const int64_t begin = NowNs();
      outputs = RunOnce(inputs);
      recorder_.RecordHost(-1, Section::kControl, "iteration", begin);
    }
    return outputs;
  }

 private:
  Expected<std::vector<InputData>> RunOnce(const std::vector<InputData>& inputs) {
    StreamsList arguments;
    for (const InputData& input : inputs) {
      Expected<reference::Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
      if (!tensor) return Unexpected(tensor.error());
      arguments.push_back(runner_.ModelInput(*tensor, fmt::format("input {}", arguments.size())));
    }
    auto function = llvm::cast<mlir::FunctionOpInterface>(map_.entry());
    Expected<StreamsList> results =
        RunRegion(function.getFunctionBody(), std::move(arguments), nullptr, ProgramPlan::kEntry);
    if (!results) return Unexpected(results.error());
    std::vector<InputData> outputs;
    for (const Streams& result : *results) {
      if (!result.device.is_tensor()) continue;
      const reference::Tensor& t = result.device.tensor();
      outputs.push_back({t.type(), t.shape(), reference::TensorToBytes(t)});
    }
    return outputs;
  }

  Expected<StreamsList> RunRegion(mlir::Region& region, StreamsList arguments, const StreamsFrame* around,
                                  int32_t place) {
    if (!region.hasOneBlock()) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("unsupported: a region of {} blocks", region.getBlocks().size()));
    }
    mlir::Block& block = region.front();
    if (block.getNumArguments() != arguments.size()) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: takes {} arguments, got {}", Named(region.getParentOp()),
                                                        block.getNumArguments(), arguments.size()));
    }
    StreamsFrame frame(around);
    for (size_t i = 0; i < arguments.size(); ++i) {
      frame.Set(block.getArgument(static_cast<unsigned>(i)), std::move(arguments[i]));
    }
    const LastUses& last_uses = LastUsesOf(block);
    for (mlir::Operation& op : block) {
      if (op.hasTrait<mlir::OpTrait::IsTerminator>()) return OperandsOf(op, frame);
      Expected<StreamsList> results = RunOp(op, frame, place);
      if (!results) return results;
      if (results->size() != op.getNumResults()) {
        return MakeError(ExitCode::kInternal, fmt::format("{}: gave {} results, expected {}", Named(&op),
                                                          results->size(), op.getNumResults()));
      }
      for (unsigned i = 0; i < op.getNumResults(); ++i) {
        if (!op.getResult(i).use_empty()) frame.Set(op.getResult(i), std::move((*results)[i]));
      }
      const auto dead = last_uses.find(&op);
      if (dead == last_uses.end()) continue;
      for (const mlir::Value value : dead->second) frame.Drop(value);
    }
    return StreamsList();
  }

  const LastUses& LastUsesOf(mlir::Block& block) {
    const auto found = last_uses_.find(&block);
    return found != last_uses_.end() ? found->second : last_uses_[&block] = reference::FindLastUses(block);
  }

  Expected<StreamsList> OperandsOf(mlir::Operation& op, const StreamsFrame& frame) {
    StreamsList operands;
    for (const mlir::Value operand : op.getOperands()) {
      const Streams* value = frame.Find(operand);
      if (value == nullptr) {
        return MakeError(ExitCode::kBadInput, fmt::format("{}: an operand has no value here", Named(&op)));
      }
      operands.push_back(*value);
    }
    return operands;
  }

  Expected<StreamsList> RunOp(mlir::Operation& op, StreamsFrame& frame, int32_t place) {
    if (generator::IsConstant(&op)) return runner_.Constant(op);
    if (const ProgramPlan::Callee* callee = plan_.CalleeOf(place, &op)) return Call(op, *callee, frame);
    const llvm::StringRef name = op.getName().getStringRef();
    if (name == "stablehlo.while") return While(op, frame, place);
    if (IsBranching(&op)) return Branch(op, frame, place);
    const int64_t id = plan_.OpAt(place, &op);
    Expected<StreamsList> results = runner_.Run(op, id, frame, After(op, place));
    if (!results || !options_.observe) return results;
    if (options_.observe({id, op, frame, *results, around_, runner_.was_by_device()})) return results;
    return MakeError(ExitCode::kPartial, "the observer ended it");
  }

  // The op that runs after this one, or null if a call, branch or loop comes between.
  mlir::Operation* After(mlir::Operation& op, int32_t place) const {
    mlir::Operation* next = op.getNextNode();
    while (next != nullptr && generator::IsConstant(next)) next = next->getNextNode();
    if (next == nullptr || next->hasTrait<mlir::OpTrait::IsTerminator>()) return nullptr;
    const bool is_plain = plan_.CalleeOf(place, next) == nullptr && !IsBranching(next) &&
                          next->getName().getStringRef() != "stablehlo.while";
    return is_plain ? next : nullptr;
  }

  Expected<StreamsList> Call(mlir::Operation& op, const ProgramPlan::Callee& callee, const StreamsFrame& frame) {
    const int64_t begin = NowNs();
    Expected<StreamsList> operands = OperandsOf(op, frame);
    if (!operands) return operands;
    auto function = llvm::cast<mlir::FunctionOpInterface>(callee.function);
    around_.emplace_back(&op, -1);
    Expected<StreamsList> results = RunRegion(function.getFunctionBody(), std::move(*operands), nullptr, callee.place);
    around_.pop_back();
    recorder_.RecordHost(-1, Section::kControl, "call", begin);
    return results;
  }

  // Returns whether the reference's own value of a branch's or loop's condition is the device's; warns if not. The
  // device's value decides.
  bool Agrees(const Streams& decision, mlir::Operation& op, std::string_view what) {
    if (!decision.own || !decision.own->is_tensor()) return true;
    const int64_t device = decision.device.tensor().IntegerAt(0);
    const int64_t own = decision.own->tensor().IntegerAt(0);
    if (device == own) return true;
    recorder_.Warn(
        fmt::format("{}: {} is {} on the device and {} in the reference's own run: the timeline follows the "
                    "device, accumulated errors end here",
                    Named(&op), what, device, own));
    return false;
  }

  static void EndOwn(StreamsList& values) {
    for (Streams& value : values) value.own = std::nullopt;
  }

  Expected<StreamsList> While(mlir::Operation& op, const StreamsFrame& frame, int32_t place) {
    const int64_t begin = NowNs();
    ++loops_;
    around_.emplace_back(&op, -1);
    Expected<StreamsList> state = OperandsOf(op, frame);
    for (int64_t trip = 0; state; ++trip) {
      Expected<StreamsList> go = RunRegion(op.getRegion(0), *state, &frame, place);
      if (!go) return go;
      if (!Agrees(go->front(), op, fmt::format("the condition before trip {}", trip))) EndOwn(*state);
      if (go->front().device.tensor().IntegerAt(0) == 0) break;
      if (trip >= options_.max_trips) {
        return MakeError(
            ExitCode::kPartial,
            fmt::format("{}: the loop has not ended after {} trips; the device's condition may never turn false",
                        Named(&op), trip));
      }
      const int64_t trip_begin = NowNs();
      around_.back().second = trip;
      state = RunRegion(op.getRegion(1), std::move(*state), &frame, place);
      recorder_.RecordHost(-1, Section::kControl, "trip", trip_begin);
    }
    around_.pop_back();
    if (--loops_ == 0) recorder_.FinishLoops();
    recorder_.RecordHost(-1, Section::kControl, "loop", begin);
    return state;
  }

  // Runs an if or a case. An index out of range takes the last branch.
  Expected<StreamsList> Branch(mlir::Operation& op, const StreamsFrame& frame, int32_t place) {
    const int64_t begin = NowNs();
    const Streams* decision = frame.Find(op.getOperand(0));
    if (decision == nullptr || !decision->device.is_tensor()) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: its condition has no value here", Named(&op)));
    }
    const int64_t value = decision->device.tensor().IntegerAt(0);
    const int64_t branches = op.getNumRegions();
    int64_t taken = value < 0 || value >= branches ? branches - 1 : value;
    if (op.getName().getStringRef() == "stablehlo.if") taken = value != 0 ? 0 : 1;
    const bool agrees = Agrees(*decision, op, "the condition");
    around_.emplace_back(&op, -1);
    Expected<StreamsList> results = RunRegion(op.getRegion(static_cast<unsigned>(taken)), {}, &frame, place);
    around_.pop_back();
    if (results && !agrees) EndOwn(*results);
    recorder_.RecordHost(-1, Section::kControl, "branch", begin);
    return results;
  }

  CaseMap& map_;
  const ProgramPlan& plan_;
  ChainRecorder& recorder_;
  const ChainOptions& options_;
  OpRunner runner_;
  std::vector<std::pair<mlir::Operation*, int64_t>> around_;  // the current op
  int loops_ = 0;                                             // around the current op
  std::unordered_map<mlir::Block*, LastUses> last_uses_;
};

}  // namespace

Expected<std::vector<InputData>> RunChain(CaseMap& map, const ProgramPlan& plan, const std::vector<InputData>& inputs,
                                          ChainDevice& device, ChainRecorder& recorder, const ChainOptions& options) {
  return Chain(map, plan, device, recorder, options).Run(inputs);
}

}  // namespace opbyop::chained
