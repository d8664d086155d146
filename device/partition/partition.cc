// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/partition/partition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "device/partition/division_builder.h"
#include "ir/sharding/factor_axes.h"
#include "ir/sharding/manual_divisions.h"
#include "ir/sharding/read_sharding.h"
#include "ir/sharding/sharding_rule.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

namespace opbyop::device {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

Division Whole(Value value) {
  const auto tensor = mlir::dyn_cast<RankedTensorType>(value.getType());
  return Division(tensor ? static_cast<size_t>(tensor.getRank()) : 0);
}

bool IsNarrowFloat(mlir::Type element) {
  return mlir::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() <= 16;
}

// Whether the type has a zero, which sums do not count where it stands for padding.
bool HasZero(mlir::Type type) {
  return mlir::isa<mlir::FloatType, mlir::IntegerType, mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
}

// Whether it is the element that an op which is not idempotent leaves others as they are with. An argument is: the
// specification lets an implementation use it any number of times.
bool IsIdentity(Value init, llvm::StringRef combine) {
  if (mlir::isa<mlir::BlockArgument>(init)) return true;
  if (combine == "stablehlo.multiply")
    return mlir::matchPattern(init, mlir::m_OneFloat()) || mlir::matchPattern(init, mlir::m_One());
  return mlir::matchPattern(init, mlir::m_AnyZeroFloat()) || mlir::matchPattern(init, mlir::m_Zero());
}

// The name of the op by which devices combine their results if each has a part of what the op sums over; empty if they
// cannot.
llvm::StringRef CombinerOf(mlir::Operation* op) {
  const mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  if (!HasZero(element)) return {};
  if (mlir::isa<stablehlo::DotGeneralOp>(op)) return element.isInteger(1) ? "" : "stablehlo.add";
  auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce || op->getNumResults() != 1) return {};
  mlir::Block& body = op->getRegion(0).front();
  mlir::Operation& combine = body.front();
  if (!llvm::hasNItems(body, 2) || combine.getNumOperands() != 2 || combine.getOperand(0) == combine.getOperand(1) ||
      body.getTerminator()->getOperand(0) != combine.getResult(0)) {
    return {};
  }
  const llvm::StringRef name = combine.getName().getStringRef();
  constexpr std::array<llvm::StringLiteral, 4> kIdempotent = {"stablehlo.maximum", "stablehlo.minimum", "stablehlo.and",
                                                              "stablehlo.or"};
  constexpr std::array<llvm::StringLiteral, 3> kOthers = {"stablehlo.add", "stablehlo.multiply", "stablehlo.xor"};
  if (llvm::is_contained(kIdempotent, name)) return name;
  return llvm::is_contained(kOthers, name) && IsIdentity(op->getOperand(1), name) ? name : llvm::StringRef();
}

class Partitioner {
 public:
  Partitioner(mlir::func::FuncOp main, const CaseSharding& sharding)
      : main_(main), sharding_(sharding), b_(main.getLoc(), main.getContext()), divisions_(b_, sharding.partitions) {}

  Expected<Partitioning> Run() {
    mlir::Block& body = main_.getBody().front();
    mlir::Operation* end = body.getTerminator();
    if (sharding_.inputs.size() != body.getNumArguments() || sharding_.outputs.size() != end->getNumOperands()) {
      return MakeError(ExitCode::kBadInput, fmt::format("@main has {} arguments and {} results, its sharding {} and {}",
                                                        body.getNumArguments(), end->getNumOperands(),
                                                        sharding_.inputs.size(), sharding_.outputs.size()));
    }
    for (const auto [value, division] : llvm::zip(body.getArguments(), sharding_.inputs)) {
      if (const Expected<void> fits = Check(value, division); !fits) return Unexpected(fits.error());
    }
    for (const auto [value, division] : llvm::zip(end->getOperands(), sharding_.outputs)) {
      if (const Expected<void> fits = Check(value, division); !fits) return Unexpected(fits.error());
      wanted_.try_emplace(value, division);
    }
    mlir::Block* local = b_.createBlock(&main_.getBody());
    for (const auto [value, division] : llvm::zip(body.getArguments(), sharding_.inputs)) {
      parts_[value] = {local->addArgument(TypeOf(value, division), value.getLoc()), division};
    }
    for (mlir::Operation& op : body.without_terminator()) {
      if (const Expected<void> done = Partition(&op); !done) return Unexpected(done.error());
    }
    llvm::SmallVector<Value> results;
    for (const auto [value, division] : llvm::zip(end->getOperands(), sharding_.outputs)) {
      results.push_back(Brought(value, division));
    }
    mlir::func::ReturnOp::create(b_, results);
    body.dropAllReferences();
    body.erase();
    main_.setFunctionType(b_.getFunctionType(local->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
    std::ranges::sort(gathered_);
    const auto repeated = std::ranges::unique(gathered_);
    gathered_.erase(repeated.begin(), repeated.end());
    return Partitioning{std::move(gathered_)};
  }

 private:
  struct Part {
    Value value;
    Division division;
  };

  static Expected<void> Check(Value value, const Division& division) {
    const auto tensor = mlir::dyn_cast<RankedTensorType>(value.getType());
    if (IsWhole(division)) return {};
    if (tensor && tensor.hasStaticShape() && CanDivide(tensor.getShape(), division)) return {};
    return MakeError(ExitCode::kUnsupported, "a divided value of @main is no static tensor of its division");
  }

  static mlir::Type TypeOf(Value value, const Division& division) {
    if (IsWhole(division)) return value.getType();
    return LocalType(mlir::cast<RankedTensorType>(value.getType()), division);
  }

  Value Brought(Value value, const Division& division) {
    const Part& part = parts_.at(value);
    if (IsWhole(part.division) && IsWhole(division)) return part.value;
    return divisions_.Reshard(part.value, SizesOf(value), part.division, division);
  }

  Expected<void> Partition(mlir::Operation* op) {
    b_.setLoc(op->getLoc());
    if (StatesSharding(op) && op->getNumOperands() == 1 && op->getNumResults() == 1) {
      parts_[op->getResult(0)] = Part(parts_.at(op->getOperand(0)));
      return {};
    }
    if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op)) return InlineManual(manual);
    const std::optional<ShardingRule> rule = RuleOf(op);
    if (rule && op->getNumResults() > 0) {
      PartitionByRule(op, *rule);
    } else {
      PartitionWhole(op);
    }
    return {};
  }

  // Its body is the program of one device.
  Expected<void> InlineManual(sdy::ManualComputationOp op) {
    const Expected<ManualDivisions> manual = DivisionsOf(op);
    if (!manual) return Unexpected(manual.error());
    if (manual->devices != 1 && manual->devices != sharding_.partitions) {
      return MakeError(ExitCode::kUnsupported, fmt::format("a manual computation over {} devices in a program of {}",
                                                           manual->devices, sharding_.partitions));
    }
    mlir::Block& body = op.getBody().front();
    mlir::IRMapping mapping;
    for (const auto [argument, operand, division] : llvm::zip(body.getArguments(), op.getTensors(), manual->operands)) {
      mapping.map(argument, Brought(operand, division));
    }
    for (mlir::Operation& inner : body.without_terminator()) b_.clone(inner, mapping);
    for (const auto [result, value, division] :
         llvm::zip(op.getResults(), body.getTerminator()->getOperands(), manual->results)) {
      parts_[result] = {mapping.lookup(value), division};
    }
    return {};
  }

  void PartitionByRule(mlir::Operation* op, const ShardingRule& rule) {
    const auto axes_of = [&](Value value, size_t dimension) -> Axes {
      if (const auto part = parts_.find(value); part != parts_.end()) return part->second.division[dimension];
      const auto wanted = wanted_.find(value);
      return wanted == wanted_.end() ? Axes() : wanted->second[dimension];
    };
    const auto in_result = [&](int factor) {
      return llvm::any_of(rule.results, [&](const auto& list) { return llvm::is_contained(list, factor); });
    };
    FactorAxes axes = ChooseFactorAxes(op, rule, axes_of, [&](int factor) {
      return in_result(factor) || llvm::all_of(op->getOperandTypes(), HasZero);
    });
    const llvm::StringRef combine = CombinerOf(op);
    Axes summed;  // over which each device has a part of the sum
    for (size_t factor = 0; factor < axes.size(); ++factor) {
      if (in_result(static_cast<int>(factor))) continue;
      if (combine.empty()) axes[factor].clear();
      summed.insert(summed.end(), axes[factor].begin(), axes[factor].end());
    }
    llvm::SmallVector<Value> operands;
    for (const auto [value, factors] : llvm::zip(op->getOperands(), rule.operands)) {
      const Division division = DivisionOf(factors, axes);
      if (const Part& part = parts_.at(value);
          part.division != division && !DividesEvenly(SizesOf(value), part.division)) {
        gathered_.push_back(op->getName().getStringRef().str());
      }
      operands.push_back(Brought(value, division));
    }
    FillSummedPadding(op, rule, axes, in_result, operands);
    mlir::Operation* local = b_.clone(*op);
    local->setOperands(operands);
    for (auto [result, factors] : llvm::zip(local->getResults(), rule.results)) {
      result.setType(LocalType(mlir::cast<RankedTensorType>(result.getType()), DivisionOf(factors, axes)));
    }
    ResizeAttributes(local);
    llvm::SmallVector<Value> results(local->getResults());
    if (!summed.empty()) results = {Summed(local, summed, combine)};
    for (const auto [value, result, factors] : llvm::zip(op->getResults(), results, rule.results)) {
      parts_[value] = {result, DivisionOf(factors, axes)};
    }
  }

  // The padding of a dimension that is summed over, which no result has, must not count.
  void FillSummedPadding(mlir::Operation* op, const ShardingRule& rule, const FactorAxes& axes,
                         llvm::function_ref<bool(int)> in_result, llvm::MutableArrayRef<Value> operands) {
    for (const auto [i, factors] : llvm::enumerate(rule.operands)) {
      for (const auto [d, factor] : llvm::enumerate(factors)) {
        if (factor == ShardingRule::kWhole || in_result(factor)) continue;
        const int64_t size = SizesOf(op->getOperand(static_cast<unsigned>(i)))[d];
        const Axes& divided = axes[static_cast<size_t>(factor)];
        if (size % PartsOf(divided) == 0) continue;
        const Value fill = mlir::isa<stablehlo::ReduceOp>(op)
                               ? operands[operands.size() / 2 + i]
                               : divisions_.Zero(mlir::getElementTypeOrSelf(operands[i].getType()));
        operands[i] = divisions_.FillPadding(operands[i], static_cast<int64_t>(d), size, divided, fill);
      }
    }
  }

  // The sum of the results of all devices along the axes.
  Value Summed(mlir::Operation* local, const Axes& axes, llvm::StringRef combine) {
    const mlir::Type element = mlir::getElementTypeOrSelf(local->getResult(0).getType());
    const bool rounds = combine == "stablehlo.add" || combine == "stablehlo.multiply";
    if (!rounds || !IsNarrowFloat(element)) return divisions_.AllReduce(local->getResult(0), axes, combine);
    const mlir::Type wide = b_.getF32Type();
    const auto type = RankedTensorType::get(SizesOf(local->getResult(0)), wide);
    if (auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(local)) {
      b_.setInsertionPoint(local);
      for (mlir::OpOperand& operand : local->getOpOperands()) operand.set(divisions_.Convert(operand.get(), wide));
      b_.setInsertionPointAfter(local);
      local->getRegion(0).front().erase();
      divisions_.AddComputation(local->getRegion(0), wide, combine);
    }
    local->getResult(0).setType(type);
    return divisions_.Convert(divisions_.AllReduce(local->getResult(0), axes, combine), element);
  }

  // The op as it is, on whole operands.
  void PartitionWhole(mlir::Operation* op) {
    mlir::IRMapping mapping;
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    mlir::getUsedValuesDefinedAbove(op->getRegions(), used);
    bool divided = llvm::any_of(op->getResults(), [&](Value result) {
      const auto wanted = wanted_.find(result);
      return wanted != wanted_.end() && !IsWhole(wanted->second) && !op->hasTrait<mlir::OpTrait::ConstantLike>();
    });
    for (Value value : used) {
      divided |= !IsWhole(parts_.at(value).division);
      mapping.map(value, Brought(value, Whole(value)));
    }
    mlir::Operation* clone = b_.clone(*op, mapping);
    for (const auto [value, result] : llvm::zip(op->getResults(), clone->getResults())) {
      parts_[value] = {result, Whole(value)};
    }
    if (divided) gathered_.push_back(op->getName().getStringRef().str());
  }

  mlir::func::FuncOp main_;
  const CaseSharding& sharding_;
  mlir::ImplicitLocOpBuilder b_;
  DivisionBuilder divisions_;
  llvm::DenseMap<Value, Part> parts_;
  llvm::DenseMap<Value, Division> wanted_;  // of returned values
  std::vector<std::string> gathered_;
};

}  // namespace

std::string Partitioning::ToText() const {
  return gathered.empty() ? "by rules" : fmt::format("gathered for {}", fmt::join(gathered, ", "));
}

Expected<Partitioning> PartitionProgram(mlir::ModuleOp module, const CaseSharding& sharding) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock()) {
    return MakeError(ExitCode::kBadInput, "the module has no function @main of one block");
  }
  return Partitioner(main, sharding).Run();
}

}  // namespace opbyop::device
