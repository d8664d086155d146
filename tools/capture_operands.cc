#include "tools/capture_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generator/case_map.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/elementwise.h"
#include "reference/evaluator.h"

namespace opbyop {
namespace {

double ExtentOf(mlir::Value value, int64_t d) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return type.isDynamicDim(static_cast<unsigned>(d)) ? 1
                                                     : static_cast<double>(type.getDimSize(static_cast<unsigned>(d)));
}

// The number of products in each sum that a matrix takes part in as the right operand; 0 where in none.
double SumLength(mlir::Value value, llvm::DenseSet<mlir::Value>& seen) {
  if (!seen.insert(value).second) return 0;
  double length = 0;
  for (mlir::OpOperand& use : value.getUses()) {
    mlir::Operation* op = use.getOwner();
    const bool right = use.getOperandNumber() == 1;
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op); dot && right) {
      double k = 1;
      for (const int64_t d : dot.getDotDimensionNumbers().getRhsContractingDimensions()) k *= ExtentOf(value, d);
      length = std::max(length, k);
    } else if (llvm::isa<stablehlo::DotOp>(op) && right) {
      length = std::max(length, ExtentOf(value, 0));
    } else if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op); conv && right) {
      const auto numbers = conv.getDimensionNumbers();
      double k = ExtentOf(value, numbers.getKernelInputFeatureDimension());
      for (const int64_t d : numbers.getKernelSpatialDimensions()) k *= ExtentOf(value, d);
      length = std::max(length, k);
    } else if (llvm::isa<stablehlo::TransposeOp, stablehlo::ReshapeOp, stablehlo::ConvertOp,
                         stablehlo::BroadcastInDimOp>(op)) {
      length = std::max(length, SumLength(op->getResult(0), seen));
    }
  }
  return length;
}

InputData Stored(const Tensor& t) { return {t.type(), t.shape(), TensorToBytes(t)}; }

}  // namespace

Expected<std::vector<InputData>> ModelInputs(mlir::ModuleOp module, const CaptureOptions& options) {
  Expected<std::vector<InputData>> inputs =
      MakeInputs(module, InputKind::kDomain, SeedOf("model/" + options.model, options.seed));
  if (!inputs) return inputs;
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  auto main = llvm::cast<mlir::FunctionOpInterface>(*entry);
  for (size_t i = 0; i < inputs->size(); ++i) {
    InputData& input = (*inputs)[i];
    llvm::DenseSet<mlir::Value> seen;
    const bool real = KindOf(input.type) == ElementKind::kFloat;
    const double length = real ? SumLength(main.getArgument(static_cast<unsigned>(i)), seen) : 0;
    const bool ranged = !real && i < options.ranges.size() && options.ranges[i];
    if (length <= 1 && !ranged) continue;
    Expected<Tensor> t = TensorFromBytes(input.type, input.shape, input.bytes);
    if (!t) return Unexpected(t.error());
    if (real) {
      // Uniform in [-a, a] has the variance a^2 / 3.
      double most = 0;
      for (const double v : t->data<double>()) most = std::max(most, std::fabs(v));
      const double factor = most > 0 ? std::sqrt(3 / length) / most : 1;
      for (double& v : t->Mutable<double>()) v *= factor;
      RoundResult(*t);
    } else if (t->kind() == ElementKind::kInteger) {
      const auto [low, high] = *options.ranges[i];
      const auto span = static_cast<uint64_t>(high - low) + 1;
      const uint64_t seed = SeedOf("model/" + options.model, options.seed) + i;
      for (size_t k = 0; k < t->data<int64_t>().size(); ++k) {
        t->Mutable<int64_t>()[k] = low + static_cast<int64_t>(SeedOf(fmt::format("{}", k), seed) % span);
      }
    }
    input = Stored(*t);
  }
  return inputs;
}

Expected<int64_t> CaptureOperands(mlir::ModuleOp outer, const CaptureOptions& options, const CaptureSink& sink) {
  Expected<CaseMap> map = CaseMap::Make(outer, options.split);
  if (!map) return Unexpected(map.error());

  // The first op of each case, in order of execution.
  llvm::DenseMap<mlir::Operation*, const CaseMap::Entry*> wanted;
  for (const CaseMap::Entry& entry : map->cases()) wanted[entry.first] = &entry;

  const Expected<std::vector<InputData>> inputs = ModelInputs(map->module(), options);
  if (!inputs) return Unexpected(inputs.error());
  Values arguments;
  for (const InputData& input : *inputs) {
    Expected<Tensor> t = TensorFromBytes(input.type, input.shape, input.bytes);
    if (!t) return Unexpected(t.error());
    arguments.emplace_back(std::move(*t));
  }
  EvalOptions evaluation;
  evaluation.hook = [&](OpContext& context, Values&) -> Expected<bool> {
    const auto found = wanted.find(context.op);
    if (found == wanted.end()) return false;
    std::vector<InputData> operands;
    const CaseInputs needed = map->InputsOf(context.op);
    for (const CaseInputs::Input& input : needed.inputs) {
      if (input.folded) continue;
      const Value* value = context.scope->Find(input.value);
      // An operand whose last use this is has moved into the op.
      for (unsigned i = 0; value == nullptr && i < context.op->getNumOperands(); ++i) {
        if (context.op->getOperand(i) == input.value) value = &context.operands[i];
      }
      if (value == nullptr || !value->is_tensor()) break;
      operands.push_back(Stored(value->tensor()));
    }
    const bool complete = operands.size() == static_cast<size_t>(needed.arguments);
    const std::string& hash = found->second->c.hash;
    wanted.erase(found);
    if (complete && !operands.empty()) {
      if (const Expected<void> done = sink(hash, operands); !done) return Unexpected(done.error());
    }
    return false;
  };
  Evaluator evaluator(map->module(), std::move(evaluation));
  const Expected<Values> results = evaluator.Call(options.split.entry, std::move(arguments));
  if (!results) return Unexpected(results.error());
  return static_cast<int64_t>(map->cases().size());
}

}  // namespace opbyop
