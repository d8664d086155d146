// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/chain_fixture.h"

#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/evaluator.h"

namespace opbyop::chained {

using generator::CaseMap;
using optrace::OpRun;
using optrace::OutputCompare;
using reference::ElementType;
using reference::InputData;
using reference::Tensor;
using reference::TensorToBytes;

DeviceRun FakeDevice::Run(const Case& c, const std::function<std::string()>& text, const std::vector<InputData>& inputs,
                          const std::function<void()>& meanwhile) {
  ran.push_back(c.op);
  meanwhile();
  DeviceRun run;
  run.stage = "execute";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text(), c.id, context);
  EXPECT_TRUE(module) << module.error().message;
  reference::Values arguments;
  for (const InputData& input : inputs) {
    arguments.emplace_back(*reference::TensorFromBytes(input.type, input.shape, input.bytes));
    if (before) before(arguments.back().tensor());
  }
  reference::Evaluator evaluator(module->get());
  const Expected<reference::Values> results = evaluator.Call("main", std::move(arguments));
  EXPECT_TRUE(results) << results.error().message;
  for (const reference::Value& value : *results) {
    const Tensor& t = value.tensor();
    run.outputs.push_back({t.type(), t.shape(), TensorToBytes(t)});
  }
  if (clock == 0) clock = NowNs();
  run.pieces = {{"transfer_in", 0, clock + 1, 2, 8},
                {"repeats", 0, clock + 4, 23},
                {"execute", 2, clock + 20, 7},
                {"transfer_out", 0, clock + 30, 2, 8}};
  run.timing = {.n = 3, .min_us = 0.005, .median_us = 0.007, .p95_us = 0.008};
  run.longest_ns = 9;
  clock += 100;
  const auto change = changes.find(c.op);
  if (change != changes.end()) change->second(run);
  return run;
}

const OpRun& Recorded::RunOf(const std::string& hlo) const {
  for (const optrace::Op& op : ops) {
    if (op.hlo == hlo) return runs.at(op.id);
  }
  ADD_FAILURE() << "no op " << hlo;
  return runs.begin()->second;
}

std::vector<double> Recorded::Output(size_t i) const {
  const InputData& data = outputs->at(i);
  const Tensor t = *reference::TensorFromBytes(data.type, data.shape, data.bytes);
  return {t.data<double>().begin(), t.data<double>().end()};
}

InputData F32(const std::vector<double>& values) {
  const auto size = static_cast<int64_t>(values.size());
  const Tensor t = Tensor::Of<double>(ElementType::kF32, {size}, values);
  return {t.type(), t.shape(), TensorToBytes(t)};
}

Recorded RunText(const std::string& text, const std::vector<InputData>& inputs, FakeDevice& device,
                 ChainOptions options) {
  Recorded recorded;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module) << module.error().message;
  generator::SplitOptions split;
  split.walk.inside_regions = true;
  Expected<CaseMap> map = CaseMap::Make(module->get(), split);
  EXPECT_TRUE(map) << map.error().message;
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  EXPECT_TRUE(plan) << plan.error().message;
  struct Filler {
    Recorded& r;
    int64_t iterations;
    void operator()(const optrace::Op& op) { r.ops.push_back(op); }
    void operator()(const optrace::Span& span) { r.spans.push_back(span); }
    void operator()(const OpRun& run) {
      const bool first = r.runs.insert_or_assign(run.op, run).second;
      EXPECT_TRUE(first || iterations > 1) << "announced twice";
    }
    void operator()(const OutputCompare& compare) { r.compares.push_back(compare); }
    void operator()(const optrace::Instruction&) {}
    void operator()(const optrace::Warning& warning) { r.warnings.push_back(warning.text); }
    void operator()(const optrace::Header&) {}
    void operator()(const optrace::Footer& footer) { EXPECT_EQ(footer.spans, static_cast<int64_t>(r.spans.size())); }
  };
  ChainRecorder recorder(
      *plan,
      [&](std::span<const optrace::Record> records) -> Expected<void> {
        for (const optrace::Record& record : records) std::visit(Filler{recorded, options.iterations}, record);
        return {};
      },
      NowNs());
  recorded.outputs = RunChain(*map, *plan, inputs, device, recorder, options);
  EXPECT_TRUE(recorder.Finish({}));
  recorded.ran = device.ran;
  return recorded;
}

}  // namespace opbyop::chained
