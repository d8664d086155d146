// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/op_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "reports/optrace/operator_table.h"
#include "support/dtype.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using reference::InputData;

InputData Stored(const reference::Tensor& t) { return {t.type(), t.shape(), reference::TensorToBytes(t)}; }

bool AreTensors(const std::vector<TensorType>& types) {
  return std::ranges::all_of(types, [](const TensorType& type) { return DtypeBytes(type.dtype).has_value(); });
}

// A chained run has one process.
bool IsForDevices(const Case& c) { return c.grid == Grid() && AreTensors(c.inputs) && AreTensors(c.outputs); }

// Ops whose results have the same elements as their operand, each once.
bool KeepsElements(std::string_view op) {
  constexpr std::array kOps = {"stablehlo.convert", "stablehlo.reshape", "stablehlo.transpose"};
  return std::ranges::find(kOps, op) != kOps.end();
}

size_t HashOf(const std::vector<InputData>& outputs) {
  size_t hash = 0;
  for (const InputData& output : outputs) {
    const std::string_view bytes(reinterpret_cast<const char*>(output.bytes.data()), output.bytes.size());
    hash = hash * 31 + std::hash<std::string_view>()(bytes);
  }
  return hash;
}

}  // namespace

std::string Named(mlir::Operation* op) {
  const std::string place = reference::PlaceOf(op);
  return fmt::format("{}{}{}", place, place.empty() ? "" : ": ", op->getName().getStringRef().str());
}

OpRunner::OpRunner(CaseMap& map, const ProgramPlan& plan, ChainDevice& device, ChainRecorder& recorder,
                   const ChainOptions& options)
    : map_(map),
      plan_(plan),
      device_(device),
      recorder_(recorder),
      options_(options),
      judge_(map.module(), plan, recorder, options) {}

void OpRunner::Prepare() {
  std::set<std::string_view> seen;
  size_t done = 0;
  for (const ProgramPlan::Place& place : plan_.places()) {
    const CaseMap::Entry* entry = map_.Find(place.op);
    if (entry == nullptr || !seen.insert(entry->c.id).second || !IsForDevices(entry->c)) continue;
    if (IsStopped()) return;
    ReportProgress({"compiled", done++, map_.cases().size()});
    const std::optional<DeviceRun> run = device_.Prepare(entry->c, [&] { return map_.Text(*entry); });
    if (!run) continue;
    recorder_.Device(place.id, *run, {});
    recorder_.Flush();
  }
}

bool OpRunner::IsStopped() const { return options_.stop != nullptr && options_.stop->load(); }

void OpRunner::ReportProgress(const ChainProgress& progress) const {
  if (options_.progress) options_.progress(progress);
}

void OpRunner::BeginIteration(int64_t iteration) {
  iteration_ = iteration;
  next_answer_ = 0;
  judge_.set_comparing(options_.compare && iteration == 0);
  recorder_.BeginIteration(iteration);
}

Streams OpRunner::ModelInput(const reference::Value& value, std::string input) const {
  return {value, judge_.comparing() ? std::optional<reference::Value>(value) : std::nullopt, std::move(input), true};
}

Expected<StreamsList> OpRunner::Run(mlir::Operation& op, int64_t id, const StreamsFrame& frame, mlir::Operation* next) {
  if (IsStopped()) return MakeError(ExitCode::kPartial, "it was interrupted");
  const size_t ops = plan_.ops().size();
  ReportProgress(
      {fmt::format(
           "{}{}",
           options_.iterations > 1 ? fmt::format("iteration {} of {}: ", iteration_ + 1, options_.iterations) : "",
           optrace::HloName(plan_.ops()[static_cast<size_t>(id)])),
       static_cast<size_t>(id), ops});
  OpStep step{op, frame, id, map_.InputsOf(&op)};
  recorder_.BeginOp();
  if (next != nullptr && device_.UsesAnnouncements()) Announce(*next, frame);
  const std::optional<DeviceRun> run = Execute(step);
  // Outputs of a run on other inputs are judged, but are not passed on in this chain.
  const bool ran = run && run->passed() && run->inputs.empty();
  was_by_device_ = ran;
  StreamsList results(op.getNumResults());
  Expected<void> judged;
  if (judge_.comparing() || !ran) judged = judge_.Judge(step, run ? &*run : nullptr, results);
  if (ran) CheckRepeats(step, run->outputs);
  recorder_.Judged(step.id, step.status, step.stage, step.diagnostic);
  if (options_.failed && step.c != nullptr && IsProblem(step.status)) options_.failed(*step.c, step.given);
  recorder_.FinishOp(step.id);
  if (!judged) return Unexpected(judged.error());
  for (Streams& result : results) result.drawn = step.drawn && KeepsElements(step.name());
  for (size_t i = 0; ran && i < results.size(); ++i) {
    // If the device's bytes equal the reference's, both share one tensor, and later ops are evaluated once.
    if (results[i].device.is_tensor()) continue;
    const InputData& output = run->outputs[i];
    Expected<reference::Tensor> tensor = reference::TensorFromBytes(output.type, output.shape, output.bytes);
    if (!tensor) return Unexpected(tensor.error());
    results[i].device = std::move(*tensor);
  }
  return results;
}

// All ops before it gave the same bits, so its inputs are the same: an op that gives other bits is the first to do so.
void OpRunner::CheckRepeats(const OpStep& step, const std::vector<InputData>& outputs) {
  if (options_.iterations < 2) return;
  const size_t hash = HashOf(outputs);
  if (iteration_ == 0) return answers_.push_back(hash);
  if (next_answer_ >= answers_.size() || answers_[next_answer_++] == hash) return;
  recorder_.Warn(fmt::format("{}: in iteration {} the device gave other bits than in iteration 0, on the same inputs",
                             optrace::HloName(plan_.ops()[static_cast<size_t>(step.id)]), iteration_));
  next_answer_ = answers_.size();
}

// Operands that the current op computes are not known yet.
void OpRunner::Announce(mlir::Operation& next, const StreamsFrame& frame) {
  const CaseMap::Entry* entry = map_.Find(&next);
  if (entry == nullptr || !IsForDevices(entry->c)) return;
  std::vector<std::optional<InputData>> inputs;
  for (const generator::CaseInputs::Input& input : map_.InputsOf(&next).inputs) {
    if (input.folded) continue;
    const Streams* value = frame.Find(input.value);
    const bool known = value != nullptr && value->device.is_tensor();
    inputs.push_back(known ? std::optional(Stored(value->device.tensor())) : std::nullopt);
  }
  device_.Announce(entry->c, std::move(inputs));
}

// Returns nullopt if the op cannot be given to the device at all.
std::optional<DeviceRun> OpRunner::Execute(OpStep& step) {
  const CaseMap::Entry* entry = map_.Find(&step.op);
  if (entry == nullptr) {
    step.End(Status::kUnsupported, "parse", "no case stands for this op");
    return std::nullopt;
  }
  step.c = &entry->c;
  step.drawn = true;
  std::vector<InputData> inputs;
  std::vector<std::string> names;
  for (const generator::CaseInputs::Input& input : step.inputs.inputs) {
    const Streams* value = step.frame.Find(input.value);
    if (input.folded) {
      // A sum of a reduction has its init value once, so the order of terms is the same for it.
      step.drawn = step.drawn && value != nullptr && value->device.is_tensor() && value->device.tensor().size() == 1;
      continue;
    }
    if (value == nullptr || !value->device.is_tensor()) {
      step.End(Status::kUnsupported, "parse", "an operand is no tensor: a device is given tensors only");
      return std::nullopt;
    }
    step.drawn = step.drawn && value->drawn;
    inputs.push_back(Stored(value->device.tensor()));
    names.push_back(value->input);
  }
  if (!AreTensors(entry->c.outputs)) {
    step.End(Status::kUnsupported, "parse", "a result is no tensor: a device gives tensors only");
    return std::nullopt;
  }
  // The record of the op before is written while the device works.
  DeviceRun run = device_.Run(entry->c, [&] { return map_.Text(*entry); }, inputs, [&] { recorder_.Flush(); });
  recorder_.Device(step.id, run, names);
  step.given = run.inputs.empty() ? std::move(inputs) : run.inputs;
  step.stage = run.stage;
  if (run.passed() && run.outputs.size() != step.op.getNumResults()) {
    run.status = Status::kFail;
    run.diagnostic = fmt::format("{} outputs came back, expected {}", run.outputs.size(), step.op.getNumResults());
  }
  if (!run.passed()) step.End(run.status, run.stage, run.diagnostic);
  return run;
}

}  // namespace opbyop::chained
