// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "reduction/edit.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"

namespace opbyop::locate {
namespace {

using reference::InputData;
using reference::Tensor;

using OpSet = llvm::DenseSet<mlir::Operation*>;

InputData StoredForm(const Tensor& t) { return {t.type(), t.shape(), reference::TensorToBytes(t)}; }

// The values from outside that the ops use, in order of their first use.
llvm::SetVector<mlir::Value> TakenBy(const Ops& ops) {
  llvm::SetVector<mlir::Value> taken;
  for (mlir::Operation* op : ops) {
    taken.insert(op->operand_begin(), op->operand_end());
    mlir::getUsedValuesDefinedAbove(op->getRegions(), taken);
  }
  const OpSet inside(ops.begin(), ops.end());
  taken.remove_if([&](mlir::Value value) { return inside.contains(value.getDefiningOp()); });
  return taken;
}

bool IsTrue(const reference::Values& condition) {
  return condition.size() == 1 && condition[0].is_tensor() && condition[0].tensor().data<uint8_t>()[0] != 0;
}

void SetArguments(mlir::Block& block, const reference::Values& carried, KnownValues& values) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), carried)) {
    if (value.is_tensor()) values[argument] = value.tensor();
  }
}

Expected<Opened> OpenLoop(const Program& program, stablehlo::WhileOp loop, const KnownValues& values,
                          reference::Scope& scope) {
  Opened opened{.block = &loop.getBody().front()};
  reference::Evaluator evaluator(program.module.get());
  reference::Values carried;
  for (const mlir::Value operand : loop->getOperands()) {
    const auto known = values.find(operand);
    if (known == values.end()) return MakeError(ExitCode::kUnsupported, "it carries a value that is no tensor");
    carried.emplace_back(known->second);
  }
  while (true) {
    const Expected<reference::Values> condition = evaluator.Run(loop.getCond(), carried, &scope);
    if (!condition) return Unexpected(condition.error());
    if (!IsTrue(*condition)) return opened;
    if (opened.trips.size() == kMostTrips) {
      return MakeError(ExitCode::kUnsupported, fmt::format("it makes more than {} trips", kMostTrips));
    }
    KnownValues of_trip = values;
    SetArguments(*opened.block, carried, of_trip);
    opened.trips.push_back(std::move(of_trip));
    opened.carried.push_back(carried);
    Expected<reference::Values> next = evaluator.Run(loop.getBody(), std::move(carried), &scope);
    if (!next) return Unexpected(next.error());
    carried = std::move(*next);
  }
}

// The number of the region that an `if` or a `case` executes.
unsigned BranchOf(mlir::Operation* op, const Tensor& selector) {
  if (selector.kind() == reference::ElementKind::kBool) return selector.data<uint8_t>()[0] != 0 ? 0 : 1;
  const int64_t index = selector.data<int64_t>()[0];
  const auto last = static_cast<int64_t>(op->getNumRegions()) - 1;
  return static_cast<unsigned>(index < 0 || index > last ? last : index);
}

}  // namespace

Ops ComputationsOf(mlir::Block& block) {
  Ops ops;
  for (mlir::Operation& op : block) {
    if (reduction::IsComputation(&op)) ops.push_back(&op);
  }
  return ops;
}

Expected<KnownValues> ValuesOf(const Program& program) {
  KnownValues values;
  reference::Values arguments;
  for (auto [argument, input] : llvm::zip_equal(program.body().getArguments(), *program.inputs)) {
    Expected<Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    values[argument] = *tensor;
    arguments.emplace_back(std::move(*tensor));
  }
  reference::EvalOptions options;
  options.observe = [&](const reference::OpContext& context, const reference::Values& results) -> Expected<void> {
    if (context.op->getBlock() != &program.body()) return {};
    for (auto [value, result] : llvm::zip(context.op->getResults(), results)) {
      if (result.is_tensor()) values[value] = result.tensor();
    }
    return {};
  };
  reference::Evaluator evaluator(program.module.get(), std::move(options));
  const Expected<reference::Values> results = evaluator.Call("main", std::move(arguments));
  if (!results) return Unexpected(results.error());
  return values;
}

std::vector<mlir::Value> ResultsOf(const Ops& ops, Asked asked) {
  const OpSet inside(ops.begin(), ops.end());
  std::vector<mlir::Value> used, last;
  for (mlir::Operation* op : ops) {
    for (mlir::Value result : op->getResults()) {
      const auto is_inside = [&](mlir::Operation* user) {
        return inside.contains(op->getBlock()->findAncestorOpInBlock(*user));
      };
      if (llvm::all_of(result.getUsers(), is_inside)) continue;
      used.push_back(result);
      if (llvm::none_of(result.getUsers(), is_inside)) last.push_back(result);
    }
  }
  return asked == Asked::kLast && !last.empty() ? last : used;
}

Expected<Program> Cut(const Program& of, const Ops& ops, const KnownValues& values,
                      const std::vector<mlir::Value>& results) {
  mlir::ModuleOp source = of.module.get();
  mlir::OpBuilder builder(source.getContext());
  Program part{mlir::ModuleOp::create(builder, source.getLoc()), std::vector<InputData>()};
  part.module.get()->setAttrs(source->getAttrDictionary());
  builder.setInsertionPointToEnd(part.module->getBody());
  for (mlir::Operation& other : source.getBody()->getOperations()) {
    if (&other != of.main()) builder.clone(other);
  }
  auto main = mlir::func::FuncOp::create(builder, source.getLoc(), "main", builder.getFunctionType({}, {}));
  mlir::Block* body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  mlir::IRMapping mapping;
  for (const mlir::Value value : TakenBy(ops)) {
    if (mlir::Operation* constant = value.getDefiningOp(); constant != nullptr && reduction::IsConstant(constant)) {
      builder.clone(*constant, mapping);
      continue;
    }
    const auto known = values.find(value);
    if (known == values.end()) {
      return MakeError(ExitCode::kUnsupported,
                       "unsupported: a value at the cut is no tensor, so no input can stand for it");
    }
    mapping.map(value, body->addArgument(value.getType(), value.getLoc()));
    part.inputs->push_back(StoredForm(known->second));
  }
  for (mlir::Operation* op : ops) builder.clone(*op, mapping);
  llvm::SmallVector<mlir::Value> returned;
  for (const mlir::Value result : results) returned.push_back(mapping.lookup(result));
  mlir::func::ReturnOp::create(builder, source.getLoc(), returned);
  if (!reduction::CleanUp(part))
    return MakeError(ExitCode::kUnsupported, "unsupported: the ops alone are no valid program");
  return part;
}

bool OpenCalls(Program& program) {
  for (const reduction::Edit& edit : reduction::CallEdits(program)) {
    if (edit.apply(program) && !reduction::CleanUp(program)) return false;
  }
  return true;
}

Expected<Opened> Open(const Program& program, mlir::Operation* op, const KnownValues& values) {
  reference::Scope scope;
  for (const auto& [value, tensor] : values) scope.Set(value, tensor);
  if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op)) return OpenLoop(program, loop, values, scope);
  if (!mlir::isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) return Opened{};
  const auto selector = values.find(op->getOperand(0));
  if (selector == values.end()) return Opened{};
  return Opened{&op->getRegion(BranchOf(op, selector->second)).front(), {values}, {}};
}

Expected<Program> LoopFrom(const Program& loop, const reference::Values& carried) {
  Program from = loop.Clone();
  mlir::Operation* op = ComputationsOf(from.body()).front();
  for (const auto& [i, value] : llvm::enumerate(carried)) {
    if (!value.is_tensor())
      return MakeError(ExitCode::kUnsupported, "unsupported: it carries a value that is no tensor");
    op->setOperand(static_cast<unsigned>(i), from.body().addArgument(op->getOperand(i).getType(), op->getLoc()));
    from.inputs->push_back(StoredForm(value.tensor()));
  }
  if (!reduction::CleanUp(from))
    return MakeError(ExitCode::kUnsupported, "unsupported: the loop alone is no valid program");
  return from;
}

}  // namespace opbyop::locate
