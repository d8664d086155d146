#include "tools/chained/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "generator/constants.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/compare.h"
#include "reference/evaluator.h"
#include "reference/last_uses.h"
#include "reports/optrace/operator_table.h"
#include "support/dtype.h"

namespace opbyop {
namespace {

using optrace::Section;

// A value of the program in both streams.
struct Streams {
  Value device;
  std::optional<Value> own;  // the reference's; nullopt where its stream has ended
  std::string input;         // which of the model's inputs it is; empty: none
};
using StreamsList = std::vector<Streams>;

// What is defined in a region and around it.
class Frame {
 public:
  explicit Frame(const Frame* around) : around_(around) {}
  const Streams* Find(mlir::Value key) const {
    for (const Frame* frame = this; frame != nullptr; frame = frame->around_) {
      const auto found = frame->values_.find(key);
      if (found != frame->values_.end()) return &found->second;
    }
    return nullptr;
  }
  void Set(mlir::Value key, Streams value) { values_[key] = std::move(value); }
  void Drop(mlir::Value key) { values_.erase(key); }

 private:
  const Frame* around_;
  llvm::DenseMap<mlir::Value, Streams> values_;
};

InputData Stored(const Tensor& t) { return {t.type(), t.shape(), TensorToBytes(t)}; }

const void* Memory(const Tensor& t) {
  return WithStorage(t.kind(), [&]<typename T>() { return static_cast<const void*>(t.data<T>().data()); });
}

// One tensor under two names: equal without a look at its elements.
bool IsSame(const Value& a, const Value& b) {
  return a.is_tensor() && b.is_tensor() && a.tensor().size() == b.tensor().size() &&
         Memory(a.tensor()) == Memory(b.tensor());
}

Value WithoutBound(Value value) {
  if (value.is_tensor()) value.tensor().set_bound(nullptr);
  return value;
}

std::string Named(mlir::Operation* op) {
  const std::string place = PlaceOf(op);
  return fmt::format("{}{}{}", place, place.empty() ? "" : ": ", op->getName().getStringRef().str());
}

// An accumulated error has no bound that it could break: the metrics stay, the verdict goes.
void TakeVerdict(Comparison& comparison) {
  comparison.rule = "accumulated: told, not judged";
  comparison.accepted = true;
  comparison.mismatches = 0;
  comparison.bound_ratio = 0;
  comparison.relaxed.clear();
  for (Comparison::Element& element : comparison.worst) element.bound_ratio = 0;
}

bool AreTensors(const std::vector<TensorType>& types) {
  return std::ranges::all_of(types, [](const TensorType& type) { return DtypeBytes(type.dtype).has_value(); });
}

bool IsForDevices(const Case& c) { return AreTensors(c.inputs) && AreTensors(c.outputs); }

class Chain {
 public:
  Chain(CaseMap& map, const ProgramPlan& plan, ChainDevice& device, ChainRecorder& recorder,
        const ChainOptions& options)
      : map_(map),
        plan_(plan),
        device_(device),
        recorder_(recorder),
        options_(options),
        judge_(map.module(), {.bounds = true, .threads = options.threads}),
        own_(map.module(), {.threads = options.threads}) {}

  // Compiles every case, so that the compiler does not run between the ops.
  void Prepare() {
    std::set<std::string_view> seen;
    for (const ProgramPlan::Place& place : plan_.places()) {
      const CaseMap::Entry* entry = map_.Find(place.op);
      if (entry == nullptr || !seen.insert(entry->c.id).second || !IsForDevices(entry->c)) continue;
      const std::optional<DeviceRun> run = device_.Prepare(entry->c, [&] { return map_.Text(*entry); });
      if (run) recorder_.Device(place.id, *run, {});
    }
    recorder_.EndOfPreparation();
  }

  Expected<std::vector<InputData>> Run(const std::vector<InputData>& inputs) {
    Prepare();
    const int64_t begin = NowNs();
    StreamsList arguments;
    for (const InputData& input : inputs) {
      Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, input.bytes);
      if (!tensor) return Unexpected(tensor.error());
      const std::string name = fmt::format("input {}", arguments.size());
      arguments.push_back({*tensor, options_.compare ? std::optional<Value>(*tensor) : std::nullopt, name});
    }
    auto function = llvm::cast<mlir::FunctionOpInterface>(map_.entry());
    Expected<StreamsList> results =
        RunRegion(function.getFunctionBody(), std::move(arguments), nullptr, ProgramPlan::kEntry);
    recorder_.Did(-1, Section::kControl, "iteration", begin);
    if (!results) return Unexpected(results.error());
    std::vector<InputData> outputs;
    for (const Streams& result : *results) {
      if (result.device.is_tensor()) outputs.push_back(Stored(result.device.tensor()));
    }
    return outputs;
  }

 private:
  Expected<StreamsList> RunRegion(mlir::Region& region, StreamsList arguments, const Frame* around, int32_t place) {
    if (!region.hasOneBlock()) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("unsupported: a region of {} blocks", region.getBlocks().size()));
    }
    mlir::Block& block = region.front();
    if (block.getNumArguments() != arguments.size()) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: takes {} arguments, got {}", Named(region.getParentOp()),
                                                        block.getNumArguments(), arguments.size()));
    }
    Frame frame(around);
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
    return found != last_uses_.end() ? found->second : last_uses_[&block] = FindLastUses(block);
  }

  Expected<StreamsList> OperandsOf(mlir::Operation& op, const Frame& frame) {
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

  Expected<StreamsList> RunOp(mlir::Operation& op, Frame& frame, int32_t place) {
    if (IsConstant(&op)) return Constant(op);
    if (const ProgramPlan::Callee* callee = plan_.CalleeOf(place, &op)) return Call(op, *callee, frame);
    const llvm::StringRef name = op.getName().getStringRef();
    if (name == "stablehlo.while") return While(op, frame, place);
    if (IsBranching(&op)) return Branch(op, frame, place);
    return OnDevice(op, frame, place);
  }

  Expected<StreamsList> Constant(mlir::Operation& op) {
    const int64_t begin = NowNs();
    OpContext context{&op, NameOf(op), {}, own_, nullptr};
    Expected<Values> values = own_.Evaluate(context);
    if (!values) return Unexpected(values.error());
    StreamsList results;
    for (const Value& value : *values) {
      results.push_back({value, options_.compare ? std::optional<Value>(value) : std::nullopt, ""});
    }
    recorder_.Did(-1, Section::kControl, "constant", begin);
    return results;
  }

  Expected<StreamsList> Call(mlir::Operation& op, const ProgramPlan::Callee& callee, const Frame& frame) {
    const int64_t begin = NowNs();
    Expected<StreamsList> operands = OperandsOf(op, frame);
    if (!operands) return operands;
    auto function = llvm::cast<mlir::FunctionOpInterface>(callee.function);
    Expected<StreamsList> results = RunRegion(function.getFunctionBody(), std::move(*operands), nullptr, callee.place);
    recorder_.Did(-1, Section::kControl, "call", begin);
    return results;
  }

  // What a branch or a loop depends on: the device's value decides. False where the reference's differs.
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

  Expected<StreamsList> While(mlir::Operation& op, const Frame& frame, int32_t place) {
    const int64_t begin = NowNs();
    ++loops_;
    Expected<StreamsList> state = OperandsOf(op, frame);
    for (int64_t trip = 0; state; ++trip) {
      Expected<StreamsList> go = RunRegion(op.getRegion(0), *state, &frame, place);
      if (!go) return go;
      if (!Agrees(go->front(), op, fmt::format("the condition before trip {}", trip))) EndOwn(*state);
      if (go->front().device.tensor().IntegerAt(0) == 0) break;
      if (trip >= options_.max_trips) {
        return MakeError(ExitCode::kPartial,
                         fmt::format("{}: the loop goes on after {} trips; the device's condition may never turn false",
                                     Named(&op), trip));
      }
      const int64_t trip_begin = NowNs();
      state = RunRegion(op.getRegion(1), std::move(*state), &frame, place);
      recorder_.Did(-1, Section::kControl, "trip", trip_begin);
    }
    if (--loops_ == 0) recorder_.EndOfLoops();
    recorder_.Did(-1, Section::kControl, "loop", begin);
    return state;
  }

  // if and case; an index out of range takes the last branch.
  Expected<StreamsList> Branch(mlir::Operation& op, const Frame& frame, int32_t place) {
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
    Expected<StreamsList> results = RunRegion(op.getRegion(static_cast<unsigned>(taken)), {}, &frame, place);
    if (results && !agrees) EndOwn(*results);
    recorder_.Did(-1, Section::kControl, "branch", begin);
    return results;
  }

  // An op of the trace.
  struct Step {
    mlir::Operation& op;
    const Frame& frame;
    int64_t id;
    CaseInputs inputs;
    Status status = Status::kPass;
    std::string stage, diagnostic;

    void End(Status with, std::string_view at, std::string why) {
      if (status != Status::kPass) return;
      status = with;
      stage = at;
      diagnostic = std::move(why);
    }
  };

  Expected<StreamsList> OnDevice(mlir::Operation& op, const Frame& frame, int32_t place) {
    Step step{op, frame, plan_.OpAt(place, &op), map_.InputsOf(&op)};
    const std::optional<DeviceRun> run = Execute(step);
    // Of a run on other inputs the outputs say how right the device is, but are no part of this chain.
    const bool ran = run && run->passed() && run->inputs.empty();
    StreamsList results(op.getNumResults());
    if (options_.compare || !ran) {
      if (const Expected<void> judged = Judge(step, run, results); !judged) return Unexpected(judged.error());
    }
    for (size_t i = 0; ran && i < results.size(); ++i) {
      // Where the bytes are the reference's, so is the tensor: what follows need not be evaluated twice.
      if (results[i].device.is_tensor()) continue;
      const InputData& output = run->outputs[i];
      Expected<Tensor> tensor = TensorFromBytes(output.type, output.shape, output.bytes);
      if (!tensor) return Unexpected(tensor.error());
      results[i].device = std::move(*tensor);
    }
    recorder_.Judged(step.id, step.status, step.stage, step.diagnostic);
    recorder_.EndOfOp(step.id);
    return results;
  }

  // nullopt where the op cannot be given to the device at all.
  std::optional<DeviceRun> Execute(Step& step) {
    const CaseMap::Entry* entry = map_.Find(&step.op);
    if (entry == nullptr) {
      step.End(Status::kUnsupported, "parse", "no case stands for this op");
      return std::nullopt;
    }
    std::vector<InputData> inputs;
    std::vector<std::string> names;
    for (const CaseInputs::Input& input : step.inputs.inputs) {
      if (input.folded) continue;
      const Streams* value = step.frame.Find(input.value);
      if (value == nullptr || !value->device.is_tensor()) {
        step.End(Status::kUnsupported, "parse", "an operand is no tensor: a device is given tensors only");
        return std::nullopt;
      }
      inputs.push_back(Stored(value->device.tensor()));
      names.push_back(value->input);
    }
    if (!AreTensors(entry->c.outputs)) {
      step.End(Status::kUnsupported, "parse", "a result is no tensor: a device gives tensors only");
      return std::nullopt;
    }
    DeviceRun run = device_.Run(entry->c, [&] { return map_.Text(*entry); }, inputs);
    recorder_.Device(step.id, run, names);
    step.stage = run.stage;
    if (run.passed() && run.outputs.size() != step.op.getNumResults()) {
      run.status = Status::kFail;
      run.diagnostic = fmt::format("{} outputs came back, expected {}", run.outputs.size(), step.op.getNumResults());
    }
    if (!run.passed()) step.End(run.status, run.stage, run.diagnostic);
    return run;
  }

  static std::string_view NameOf(mlir::Operation& op) {
    const llvm::StringRef name = op.getName().getStringRef();
    return {name.data(), name.size()};
  }

  // The op in the reference, on values that `pick` takes from each of its inputs.
  template <typename Pick>
  Expected<Values> Evaluate(const Step& step, Evaluator& evaluator, const Pick& pick) {
    Scope scope;
    for (const CaseInputs::Input& input : step.inputs.inputs) {
      const Streams* value = step.frame.Find(input.value);
      if (value == nullptr) return MakeError(ExitCode::kBadInput, "an operand has no value here");
      scope.Set(input.value, pick(input, *value));
    }
    OpContext context{&step.op, NameOf(step.op), {}, evaluator, &scope};
    for (const mlir::Value operand : step.op.getOperands()) context.operands.push_back(*scope.Find(operand));
    return evaluator.Evaluate(context);
  }

  // What is folded into the case is what the constants are, whatever the device made of them elsewhere.
  static const Value& DevicePick(const CaseInputs::Input& input, const Streams& value) {
    return input.folded && value.own ? *value.own : value.device;
  }

  // Both references, and what the device's output is against them. Where the device has none, the isolated
  // reference's goes into `results` in its place.
  Expected<void> Judge(Step& step, const std::optional<DeviceRun>& run, StreamsList& results) {
    const bool ran = run && run->passed() && run->inputs.empty();
    if (run && run->passed() && !ran) {
      if (auto done = JudgeOnItsOwn(step, *run); !done) return done;
    }
    bool same = true, own_known = options_.compare;
    for (const CaseInputs::Input& input : step.inputs.inputs) {
      const Streams* value = step.frame.Find(input.value);
      if (value == nullptr) {
        return MakeError(ExitCode::kBadInput, fmt::format("{}: an operand has no value here", Named(&step.op)));
      }
      own_known = own_known && value->own;
      same = same && value->own && IsSame(DevicePick(input, *value), *value->own);
    }
    int64_t begin = NowNs();
    Expected<Values> isolated = Evaluate(step, judge_, &DevicePick);
    recorder_.Did(step.id, Section::kCompare, "reference on the device's inputs", begin);
    if (!isolated) {
      if (!ran) {
        recorder_.Judged(step.id, step.status, step.stage, step.diagnostic);
        recorder_.EndOfOp(step.id);
        return MakeError(
            ExitCode::kPartial,
            fmt::format("{}: {} on the device ({}), and the reference has no value either: {}", Named(&step.op),
                        ToString(step.status), step.diagnostic, isolated.error().message));
      }
      recorder_.Warn(fmt::format("{}: not compared, the reference cannot evaluate it: {}", Named(&step.op),
                                 isolated.error().message));
      return {};
    }
    if (ran) {
      if (auto done = Compare(step, "isolated", *isolated, run->outputs, &results); !done) return done;
    } else {
      const std::string name = optrace::HloName(plan_.ops()[static_cast<size_t>(step.id)]);
      recorder_.Warn(
          run && run->passed()
              ? fmt::format("{}: the device ran on inputs of its own and is judged on these: what follows uses "
                            "the reference's value",
                            name)
              : fmt::format("{}: {} in {} on the device ({}): what follows uses the reference's value", name,
                            ToString(step.status), step.stage, step.diagnostic));
      for (size_t i = 0; i < results.size(); ++i) results[i].device = WithoutBound((*isolated)[i]);
    }
    if (!own_known) return {};
    std::optional<Values> own;
    if (same) {
      own.emplace();
      for (const Value& value : *isolated) own->push_back(WithoutBound(value));
    } else {
      begin = NowNs();
      Expected<Values> evaluated =
          Evaluate(step, own_, [](const auto&, const Streams& value) -> const Value& { return *value.own; });
      recorder_.Did(step.id, Section::kCompare, "reference on its own inputs", begin);
      if (!evaluated) {
        recorder_.Warn(fmt::format("{}: accumulated errors end here, the reference cannot evaluate it: {}",
                                   Named(&step.op), evaluated.error().message));
        return {};
      }
      own = std::move(*evaluated);
    }
    if (ran) {
      if (auto done = Compare(step, "accumulated", *own, run->outputs, nullptr); !done) return done;
    }
    for (size_t i = 0; i < results.size(); ++i) results[i].own = std::move((*own)[i]);
    return {};
  }

  // The reference on the inputs that the device drew itself.
  Expected<void> JudgeOnItsOwn(Step& step, const DeviceRun& run) {
    std::vector<Value> used;
    for (const InputData& input : run.inputs) {
      Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, input.bytes);
      if (!tensor) return Unexpected(tensor.error());
      used.emplace_back(std::move(*tensor));
    }
    const int64_t begin = NowNs();
    const Expected<Values> expected =
        Evaluate(step, judge_, [&](const CaseInputs::Input& input, const Streams& value) -> const Value& {
          return input.folded ? DevicePick(input, value) : used[static_cast<size_t>(input.argument)];
        });
    recorder_.Did(step.id, Section::kCompare, "reference on the device's inputs", begin);
    if (!expected) return {};  // the caller's own evaluation tells
    StreamsList none(step.op.getNumResults());
    return Compare(step, "isolated", *expected, run.outputs, &none);
  }

  // `shared`: takes the expected tensors whose bytes the device gave.
  Expected<void> Compare(Step& step, const char* mode, const Values& expected, const std::vector<InputData>& outputs,
                         StreamsList* shared) {
    const int64_t begin = NowNs();
    const bool isolated = shared != nullptr;
    for (size_t i = 0; i < expected.size() && i < outputs.size(); ++i) {
      if (!expected[i].is_tensor()) continue;
      const Tensor& want = expected[i].tensor();
      if (want.shape() != outputs[i].shape) {
        step.End(Status::kFail, "compare", fmt::format("output {}: has another shape than the reference's", i));
        continue;
      }
      CompareOptions options;
      if (isolated) {
        const Policy::Applied applied = options_.policy.For(NameOf(step.op), NameOf(want.type()), options_.target);
        options = {.factor = applied.factor, .reason = applied.reason};
      }
      Expected<Comparison> comparison = CompareOutput(static_cast<int64_t>(i), want, outputs[i].bytes, options);
      if (!comparison) {
        step.End(Status::kFail, "compare", comparison.error().message);
        continue;
      }
      if (!isolated) TakeVerdict(*comparison);
      if (!comparison->accepted) step.End(Status::kFail, "compare", DescribeMismatch(*comparison));
      optrace::OutputCompare record = {.op = step.id, .mode = mode, .comparison = std::move(*comparison)};
      Show(want, outputs[i], record);
      recorder_.Compared(step.id, std::move(record));
      if (isolated && TensorToBytes(want) == outputs[i].bytes) {
        (*shared)[i].device = WithoutBound(expected[i]);
      }
    }
    if (isolated && step.status == Status::kPass) step.stage = "compare";
    recorder_.Did(step.id, Section::kCompare, "compare", begin);
    return {};
  }

  // The first elements of both, with as many digits as tell them apart.
  void Show(const Tensor& want, const InputData& output, optrace::OutputCompare& record) const {
    const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(want.type())));
    const auto count = static_cast<int64_t>(std::min(options_.shown_elements, static_cast<size_t>(want.size())));
    const auto first =
        TensorFromBytes(output.type, {count}, std::span(output.bytes).first(static_cast<size_t>(count) * stored));
    for (int64_t i = 0; first && i < count; ++i) {
      record.cpu.push_back(ElementText(want, i));
      record.device.push_back(ElementText(*first, i));
    }
  }

  static std::string_view NameOf(ElementType type) { return opbyop::NameOf(type); }

  CaseMap& map_;
  const ProgramPlan& plan_;
  ChainDevice& device_;
  ChainRecorder& recorder_;
  const ChainOptions& options_;
  Evaluator judge_;  // with bounds, on the device's inputs
  Evaluator own_;    // on its own
  int loops_ = 0;    // around the op in hand
  std::unordered_map<mlir::Block*, LastUses> last_uses_;
};

}  // namespace

Expected<std::vector<InputData>> RunChain(CaseMap& map, const ProgramPlan& plan, const std::vector<InputData>& inputs,
                                          ChainDevice& device, ChainRecorder& recorder, const ChainOptions& options) {
  return Chain(map, plan, device, recorder, options).Run(inputs);
}

}  // namespace opbyop
