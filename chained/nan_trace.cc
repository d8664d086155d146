// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/nan_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chained/chain_recorder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/evaluator.h"
#include "reports/optrace/operator_table.h"
#include "support/text/count_text.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using reference::Complex;
using reference::ElementKind;
using reference::InputData;
using reference::OpContext;
using reference::Tensor;
using reference::Value;
using reference::Values;

std::string TypeText(const Tensor& t) {
  return fmt::format("{}{}{}", fmt::join(t.shape(), "x"), t.rank() == 0 ? "" : "x", NameOf(t.type()));
}

class Counter {
 public:
  explicit Counter(Contents& contents) : contents_(contents) {}

  void Add(double value) { Add(value, std::isnan(value), std::isinf(value)); }
  void Add(const Complex& value) {
    const bool is_nan = std::isnan(value.real()) || std::isnan(value.imag());
    const bool is_infinite = std::isinf(value.real()) || std::isinf(value.imag());
    Add(std::abs(value), is_nan, is_infinite && !is_nan);
  }

  void Finish() {
    if (least_ > greatest_) return;
    contents_.least = least_;
    contents_.greatest = greatest_;
  }

 private:
  void Add(double size, bool is_nan, bool is_infinite) {
    if (is_nan && contents_.nans++ == 0) contents_.first_nan = at_;
    if (is_infinite && contents_.infinities++ == 0) contents_.first_infinity = at_;
    if (!is_nan && !is_infinite) {
      least_ = std::min(least_, size);
      greatest_ = std::max(greatest_, size);
    }
    ++at_;
  }

  Contents& contents_;
  int64_t at_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

std::string AroundText(mlir::Operation* op, int64_t trip) {
  const std::string place = reference::PlaceOf(op);
  return fmt::format("{}{}{}{}", trip < 0 ? "" : fmt::format("trip {} of ", trip), op->getName().getStringRef().str(),
                     place.empty() ? "" : " at ", place);
}

bool IsLoop(mlir::Operation* op) { return op->getName().getStringRef() == "stablehlo.while"; }

// The operands and results of an op.
struct Looked {
  int64_t id;
  mlir::Operation* op;
  std::string name;
  std::vector<Contents> operands;
  std::vector<const Tensor*> results;
};

// Notes the first NaN and the first infinity. Returns true once there is nothing more to look for.
class Finder {
 public:
  Finder(NanTrace& trace, const ProgramPlan& plan) : trace_(trace), plan_(plan) {}

  using Around = std::vector<std::pair<mlir::Operation*, int64_t>>;  // each with the trip of a loop, or -1

  NanSite* Look(const Looked& looked, const Around& around) {
    const auto has = [&](int64_t Contents::* count) {
      return std::ranges::any_of(looked.operands, [&](const Contents& operand) { return operand.*count > 0; });
    };
    for (size_t i = 0; i < looked.results.size(); ++i) {
      const Contents contents = ContentsOf(*looked.results[i]);
      if (contents.nans > 0 && !has(&Contents::nans)) {
        trace_.nan = SiteOf(looked, around, i, contents, true);
        return &*trace_.nan;
      }
      if (contents.infinities == 0 || trace_.infinity || has(&Contents::infinities)) continue;
      trace_.infinity = SiteOf(looked, around, i, contents, false);
      return &*trace_.infinity;
    }
    return nullptr;
  }

 private:
  NanSite SiteOf(const Looked& looked, const Around& around, size_t result, const Contents& contents, bool is_nan) {
    const Tensor& tensor = *looked.results[result];
    const int64_t at = is_nan ? contents.first_nan : contents.first_infinity;
    NanSite site = {.op = looked.id,
                    .name = looked.id < 0 ? looked.name : optrace::HloName(plan_.ops()[static_cast<size_t>(looked.id)]),
                    .place = reference::PlaceOf(looked.op),
                    .is_nan = is_nan,
                    .result = result,
                    .index = reference::IndexOf(at, tensor.shape()),
                    .value = is_nan && tensor.kind() == ElementKind::kFloat ? "nan" : ElementText(tensor, at),
                    .count = is_nan ? contents.nans : contents.infinities,
                    .contents = contents,
                    .operands = looked.operands};
    for (const auto& [op, trip] : around) {
      site.around.push_back(AroundText(op, trip));
      if (IsLoop(op)) site.trips.push_back(trip);
    }
    return site;
  }

  NanTrace& trace_;
  const ProgramPlan& plan_;
};

// Most results are finite; then the operands need not be searched.
bool AreFinite(const std::vector<const Tensor*>& results) {
  return std::ranges::all_of(results, [](const Tensor* result) {
    const Contents contents = ContentsOf(*result);
    return contents.nans + contents.infinities == 0;
  });
}

// Watches the evaluator as it reaches the ops of the plan.
class ReferenceWatch {
 public:
  ReferenceWatch(NanTrace& trace, const ProgramPlan& plan) : trace_(trace), plan_(plan), finder_(trace, plan) {}

  bool found_nan() const { return trace_.nan.has_value(); }

  void Before(const OpContext& context) {
    mlir::Operation* op = context.op;
    // If an op is replaced by other ops, those are evaluated under its name, and it arrives here again.
    if (op == current_ || (!within_.empty() && around_.back().first == op)) return;
    if (!within_.empty() && IsBodyBegin(op)) ++around_.back().second;
    current_ = op;
    if (!Leads(op)) return;
    const ProgramPlan::Callee* callee = plan_.CalleeOf(place(), op);
    within_.push_back({callee != nullptr ? callee->place : place(), trace_.executed});
    around_.emplace_back(op, -1);
  }

  void After(const OpContext& context, const Values& results) {
    mlir::Operation* op = context.op;
    current_ = nullptr;
    bool is_one = false;  // a call that was evaluated as one op, without the ops of its callee
    if (!within_.empty() && around_.back().first == op) {
      is_one = !IsBranching(op) && within_.back().executed == trace_.executed;
      around_.pop_back();
      within_.pop_back();
    }
    const int64_t id = plan_.OpAt(place(), op);
    if (id < 0 && !is_one) return;  // a constant, an op within another's region, or one whose ops were seen
    trace_.executed += id < 0 ? 0 : 1;
    Looked looked = {.id = id, .op = op, .name = op->getName().getStringRef().str()};
    for (const Value& result : results) {
      if (result.is_tensor()) looked.results.push_back(&result.tensor());
    }
    if (AreFinite(looked.results)) return;
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      const Value* operand = context.scope->Find(op->getOperand(i));
      if (operand == nullptr) operand = &context.operands[i];
      if (operand->is_tensor()) looked.operands.push_back(ContentsOf(operand->tensor()));
    }
    (void)finder_.Look(looked, around_);
  }

 private:
  // A call, branch or loop that is being executed: the place of its ops, and how many ops were executed before it.
  struct Within {
    int32_t place;
    int64_t executed;
  };

  int32_t place() const { return within_.empty() ? ProgramPlan::kEntry : within_.back().place; }

  // Whether executing `op` executes other ops of the plan.
  bool Leads(mlir::Operation* op) const { return IsBranching(op) || plan_.CalleeOf(place(), op) != nullptr; }

  bool IsBodyBegin(mlir::Operation* op) const {
    mlir::Operation* loop = around_.back().first;
    constexpr unsigned kBody = 1;
    return IsLoop(loop) && op->getParentRegion() == &loop->getRegion(kBody) && op == &op->getBlock()->front();
  }

  NanTrace& trace_;
  const ProgramPlan& plan_;
  Finder finder_;
  Finder::Around around_;
  std::vector<Within> within_;  // one for each of around_
  mlir::Operation* current_ = nullptr;
};

void NoteInputs(const std::vector<Tensor>& inputs, NanTrace& trace) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Contents contents = ContentsOf(inputs[i]);
    if (contents.nans + contents.infinities == 0) continue;
    trace.of_inputs.push_back(fmt::format("input {}: {}", i, Describe(contents)));
  }
}

Expected<std::vector<Tensor>> TensorsOf(const std::vector<InputData>& inputs) {
  std::vector<Tensor> tensors;
  for (const InputData& input : inputs) {
    Expected<Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

// Computes the op in the reference, from the operands that the device's op got.
std::optional<Contents> ReferenceOnSameOperands(const ChainStep& step, const generator::CaseInputs& inputs,
                                                size_t result, reference::Evaluator& evaluator) {
  reference::Scope scope;
  for (const generator::CaseInputs::Input& input : inputs.inputs) {
    const Streams* value = step.frame.Find(input.value);
    if (value == nullptr) return std::nullopt;
    scope.Set(input.value, value->device);
  }
  const llvm::StringRef name = step.op.getName().getStringRef();
  OpContext context{&step.op, {name.data(), name.size()}, {}, evaluator, &scope};
  for (const mlir::Value operand : step.op.getOperands()) {
    const Value* value = scope.Find(operand);
    if (value == nullptr) return std::nullopt;
    context.operands.push_back(*value);
  }
  const Expected<Values> results = evaluator.Evaluate(context);
  size_t tensor = 0;
  for (size_t i = 0; results && i < results->size(); ++i) {
    if ((*results)[i].is_tensor() && tensor++ == result) return ContentsOf((*results)[i].tensor());
  }
  return std::nullopt;
}

}  // namespace

Contents ContentsOf(const Tensor& tensor) {
  Contents contents = {.type = TypeText(tensor), .elements = tensor.size()};
  Counter counter(contents);
  if (tensor.kind() == ElementKind::kFloat) {
    for (const double value : tensor.data<double>()) counter.Add(value);
  } else if (tensor.kind() == ElementKind::kComplex) {
    for (const Complex& value : tensor.data<Complex>()) counter.Add(value);
  }
  counter.Finish();
  return contents;
}

std::string Describe(const Contents& contents) {
  std::string text = contents.type;
  if (contents.least) text += fmt::format(" from {:.6g} to {:.6g}", *contents.least, *contents.greatest);
  if (contents.nans > 0) text += fmt::format(", {} NaN", contents.nans);
  if (contents.infinities > 0) {
    text += fmt::format(", {} {}", Grouped(contents.infinities), contents.infinities == 1 ? "infinity" : "infinities");
  }
  return text;
}

std::string Describe(const NanSite& site) {
  std::string text = site.name;
  if (!site.place.empty()) text += fmt::format(" ({})", site.place);
  text += fmt::format(" gives {} in result {} at [{}], {} of {}\n", site.value, site.result, fmt::join(site.index, ","),
                      site.count, CountText(site.contents.elements, "element"));
  for (const std::string& around : site.around) text += fmt::format("  in {}\n", around);
  text += fmt::format("  result {}: {}\n", site.result, Describe(site.contents));
  for (size_t i = 0; i < site.operands.size(); ++i) {
    text += fmt::format("  operand {}: {}\n", i, Describe(site.operands[i]));
  }
  if (site.reference) text += fmt::format("  the reference on these operands: {}\n", Describe(*site.reference));
  return text;
}

Expected<NanTrace> TraceReference(CaseMap& map, const ProgramPlan& plan, const std::vector<InputData>& inputs,
                                  int threads) {
  Expected<std::vector<Tensor>> tensors = TensorsOf(inputs);
  if (!tensors) return Unexpected(tensors.error());
  NanTrace trace;
  NoteInputs(*tensors, trace);
  Values arguments(std::make_move_iterator(tensors->begin()), std::make_move_iterator(tensors->end()));
  tensors->clear();
  ReferenceWatch watch(trace, plan);
  reference::EvalOptions options{.threads = threads};
  options.hook = [&](OpContext& context, Values&) -> Expected<bool> {
    watch.Before(context);
    return false;
  };
  options.observe = [&](const OpContext& context, const Values& results) -> Expected<void> {
    watch.After(context, results);
    if (watch.found_nan()) return MakeError(ExitCode::kPartial, "found");
    return {};
  };
  reference::Evaluator evaluator(map.module(), std::move(options));
  const Expected<Values> results = evaluator.CallFunction(map.entry(), std::move(arguments));
  if (!results && !trace.nan) trace.stopped = results.error().message;
  return trace;
}

Expected<NanTrace> TraceDevice(CaseMap& map, const ProgramPlan& plan, const std::vector<InputData>& inputs,
                               ChainDevice& device, ChainOptions options) {
  const Expected<std::vector<Tensor>> tensors = TensorsOf(inputs);
  if (!tensors) return Unexpected(tensors.error());
  NanTrace trace;
  NoteInputs(*tensors, trace);
  Finder finder(trace, plan);
  reference::Evaluator evaluator(map.module(), {.threads = options.threads});
  options.compare = false;
  options.iterations = 1;
  options.observe = [&](const ChainStep& step) {
    ++trace.executed;
    trace.substituted += step.by_device ? 0 : 1;
    const generator::CaseInputs taken = map.InputsOf(&step.op);
    Looked looked = {.id = step.id, .op = &step.op, .name = step.op.getName().getStringRef().str()};
    for (const Streams& result : step.results) {
      if (result.device.is_tensor()) looked.results.push_back(&result.device.tensor());
    }
    if (AreFinite(looked.results)) return true;
    const auto add = [&](mlir::Value key) {
      const Streams* value = step.frame.Find(key);
      if (value != nullptr && value->device.is_tensor()) looked.operands.push_back(ContentsOf(value->device.tensor()));
    };
    for (const mlir::Value operand : step.op.getOperands()) add(operand);
    // The values from outside that its regions use.
    for (const generator::CaseInputs::Input& input : taken.inputs) {
      if (llvm::find(step.op.getOperands(), input.value) == step.op.getOperands().end()) add(input.value);
    }
    NanSite* site = finder.Look(looked, step.around);
    if (site == nullptr) return true;
    site->by_device = step.by_device;
    if (step.by_device) site->reference = ReferenceOnSameOperands(step, taken, site->result, evaluator);
    return !trace.nan.has_value();
  };
  ChainRecorder recorder(plan, nullptr, NowNs());
  const auto outputs = RunChain(map, plan, inputs, device, recorder, options);
  if (!outputs && !trace.nan) trace.stopped = outputs.error().message;
  return trace;
}

std::string Agreement(const NanTrace& reference, const NanTrace& device, const std::string& target) {
  const NanSite* want = reference.first();
  const NanSite* got = device.first();
  // An op that the device did not run says nothing about the device.
  const std::string by_another =
      got != nullptr && !got->by_device ? fmt::format("; {} did not run that op, the reference stood in", target) : "";
  if (want == nullptr && got == nullptr) {
    return reference.stopped.empty() && device.stopped.empty()
               ? fmt::format("both agree: no op of {} or of the reference makes a NaN or an infinity", target)
               : "neither came to a NaN or an infinity before it stopped";
  }
  if (want == nullptr) {
    return fmt::format("they differ: {} has {} from {} on, and the reference has none{}", target,
                       got->is_nan ? "NaN" : "infinities", got->name, by_another);
  }
  if (got == nullptr) {
    return fmt::format("they differ: the reference has {} from {} on, and {} has none{}",
                       want->is_nan ? "NaN" : "infinities", want->name, target,
                       device.stopped.empty() ? "" : " up to where it stopped");
  }
  if (want->IsAt(*got) && want->is_nan == got->is_nan) {
    return fmt::format("both agree: {} is where it begins{}", want->name, by_another);
  }
  return fmt::format("they differ: {} in the reference, {} on {}{}", want->name, got->name, target, by_another);
}

}  // namespace opbyop::chained
