// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-lower-quantization: replaces quantized elements by their stored integers. Ops that only move elements move the
// stored integers. All others compute on the expressed values of their operands and quantize the result, as the
// specification defines them:
//
//   real = (stored - zero_point) * scale,  stored = clamp(round(real / scale + zero_point))
//
// Each step is rounded to the expressed type. Ops whose lowering is written for floats of at least 16 bits are also
// computed in f32 here if their floats are narrower.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/TypeUtilities.h>

#include "device/host/hlo_builder.h"
#include "device/host/lowering/types.h"
#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
namespace func = mlir::func;
namespace quant = mlir::quant;

mlir::Type ElementIn(mlir::Type type) { return mlir::getElementTypeOrSelf(type); }

// The parameters of a quantized type. Sub-channel quantization has none here.
struct Parameters {
  static std::optional<Parameters> Of(mlir::Type element) {
    auto quantized = mlir::dyn_cast<quant::QuantizedType>(element);
    if (!quantized || !mlir::isa<mlir::FloatType>(quantized.getExpressedType())) return std::nullopt;
    Parameters p;
    p.storage =
        mlir::IntegerType::get(element.getContext(), quantized.getStorageTypeIntegralWidth(),
                               quantized.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
    // Wide enough for differences of stored values and zero points.
    p.wide = mlir::IntegerType::get(element.getContext(), p.storage.getWidth() <= 16 ? 32 : 64);
    p.expressed = quantized.getExpressedType();
    p.min = quantized.getStorageTypeMin();
    p.max = quantized.getStorageTypeMax();
    if (auto uniform = mlir::dyn_cast<quant::UniformQuantizedType>(element)) {
      p.scales = {uniform.getScale()};
      p.zero_points = {static_cast<double>(uniform.getZeroPoint())};
    } else if (auto axis = mlir::dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
      p.axis = axis.getQuantizedDimension();
      p.scales.assign(axis.getScales().begin(), axis.getScales().end());
      p.zero_points.assign(axis.getZeroPoints().begin(), axis.getZeroPoints().end());
    } else {
      return std::nullopt;
    }
    return p;
  }

  // A tensor of `shape` with the parameter of each element.
  Value Tensor(Hlo& h, llvm::ArrayRef<int64_t> shape, mlir::Type element, llvm::ArrayRef<double> values) const {
    return axis < 0 ? h.Splat(shape, element, values[0]) : h.Vector(shape, element, values, axis);
  }

  mlir::IntegerType storage, wide;
  mlir::Type expressed;
  int64_t min = 0, max = 0;
  int64_t axis = -1;
  llvm::SmallVector<double> scales, zero_points;
};

Value Dequantize(Hlo& h, Value stored, const Parameters& p) {
  const auto shape = StaticShape(stored);
  Value steps = h.Binary<stablehlo::SubtractOp>(h.Convert(stored, p.wide), p.Tensor(h, shape, p.wide, p.zero_points));
  return h.Binary<stablehlo::MulOp>(h.Convert(steps, p.expressed), p.Tensor(h, shape, p.expressed, p.scales));
}

Value Quantize(Hlo& h, Value real, const Parameters& p) {
  const auto shape = StaticShape(real);
  Value scaled = h.Binary<stablehlo::DivOp>(h.Convert(real, p.expressed), p.Tensor(h, shape, p.expressed, p.scales));
  Value shifted = h.Binary<stablehlo::AddOp>(scaled, p.Tensor(h, shape, p.expressed, p.zero_points));
  Value rounded = stablehlo::RoundNearestEvenOp::create(h.b, shifted.getType(), shifted);
  // The conversion saturates; NaN becomes 0.
  Value integer = h.Convert(rounded, p.wide);
  integer = h.Binary<stablehlo::MaxOp>(integer, h.Splat(shape, p.wide, static_cast<double>(p.min)));
  integer = h.Binary<stablehlo::MinOp>(integer, h.Splat(shape, p.wide, static_cast<double>(p.max)));
  return h.Convert(integer, p.storage);
}

bool TakesStoredElements(mlir::Operation* op) {
  const OpInfo* info = LookUpOp(op->getName().getStringRef());
  return info != nullptr ? info->takes_stored : mlir::isa<func::ReturnOp>(op);
}

bool WantsWideFloats(mlir::Operation* op) {
  return mlir::isa<stablehlo::BatchNormGradOp, stablehlo::BatchNormInferenceOp, stablehlo::BatchNormTrainingOp,
                   stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op);
}

// Whether the op is a collective in which no process sends anything to this one: its results must then express zero.
bool GivesZeros(mlir::Operation* op) {
  const bool permutes = mlir::isa<stablehlo::CollectivePermuteOp>(op);
  if (!permutes && !mlir::isa<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(op)) return false;
  const auto ids = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(
      op->getAttr(permutes ? "source_target_pairs" : "replica_groups"));
  return ids && llvm::none_of(ids.getValues<int64_t>(), [](int64_t id) { return id >= 0; });
}

class LowerQuantization : public mlir::PassWrapper<LowerQuantization, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerQuantization)

  llvm::StringRef getArgument() const final { return "opbyop-lower-quantization"; }
  llvm::StringRef getDescription() const final { return "Compute quantized ops on what their operands express"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<stablehlo::StablehloDialect>();
  }

  void runOnOperation() override {
    quantized_.clear();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (mlir::failed(Run(function))) return signalPassFailure();
    }
  }

 private:
  mlir::LogicalResult Run(func::FuncOp function) {
    llvm::SmallVector<mlir::Operation*> ops;
    const auto walked = function.walk([&](mlir::Operation* op) {
      if (op != function.getOperation()) ops.push_back(op);
      for (Value result : op->getResults()) {
        if (!Retype(result)) return Refuse(op, result.getType());
      }
      for (mlir::Region& region : op->getRegions()) {
        for (mlir::Block& block : region) {
          for (Value argument : block.getArguments()) {
            if (!Retype(argument)) return Refuse(op, argument.getType());
          }
        }
      }
      return mlir::WalkResult::advance();
    });
    if (walked.wasInterrupted()) return mlir::failure();
    for (mlir::Operation* op : ops) {
      mlir::ImplicitLocOpBuilder b(op->getLoc(), op);
      Hlo h(b);
      if (WantsWideFloats(op)) ComputeInF32(h, op);
      if (quantized_.empty()) continue;
      b.setInsertionPoint(op);  // the step before may have left the insertion point after the op
      if (GivesZeros(op)) FillWithZeros(h, op);
      PromoteQuantized(h, op);
      if (mlir::isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(op)) {
        Requantize(h, op);
      } else if (!TakesStoredElements(op)) {
        ComputeOnExpressed(h, op);
      }
    }
    if (!quantized_.empty()) {
      mlir::Block& body = function.getBody().front();
      function.setType(
          mlir::FunctionType::get(&getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
    }
    return mlir::success();
  }

  static mlir::WalkResult Refuse(mlir::Operation* op, mlir::Type type) {
    device::EmitUnsupported(op) << ElementIn(type) << " is quantized neither per tensor nor per axis";
    return mlir::WalkResult::interrupt();
  }

  // Replaces a quantized element type by its storage type, and remembers the quantized one.
  bool Retype(Value value) {
    auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
    if (!type || !mlir::isa<quant::QuantizedType>(type.getElementType())) return true;
    const auto parameters = Parameters::Of(type.getElementType());
    if (!parameters) return false;
    quantized_[value] = type.getElementType();
    value.setType(type.clone(parameters->storage));
    return true;
  }

  // The element type before it was replaced.
  mlir::Type Original(Value value) const {
    mlir::Type quantized = quantized_.lookup(value);
    return quantized ? quantized : ElementIn(value.getType());
  }

  // Converts from one element type to another through the expressed values.
  static Value Converted(Hlo& h, Value value, mlir::Type from, mlir::Type to) {
    if (from == to) return value;
    if (const auto p = Parameters::Of(from)) value = Dequantize(h, value, *p);
    if (const auto p = Parameters::Of(to)) return Quantize(h, value, *p);
    return h.Convert(value, to);
  }

  void Requantize(Hlo& h, mlir::Operation* op) {
    Value result = op->getResult(0);
    mlir::Type to = Original(result);
    Value converted = Converted(h, op->getOperand(0), Original(op->getOperand(0)), to);
    quantized_.erase(result);
    if (Parameters::Of(to)) quantized_[converted] = to;
    result.replaceAllUsesWith(converted);
    op->erase();
  }

  void FillWithZeros(Hlo& h, mlir::Operation* op) {
    for (Value result : op->getResults()) {
      mlir::Type quantized = Original(result);
      const auto p = Parameters::Of(quantized);
      if (!p) continue;
      Value zero = p->Tensor(h, StaticShape(result), p->storage, p->zero_points);
      quantized_[zero] = quantized;
      result.replaceAllUsesWith(zero);
    }
  }

  void ComputeOnExpressed(Hlo& h, mlir::Operation* op) {
    bool any = false;
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      const auto p = Parameters::Of(Original(operand.get()));
      if (!p) continue;
      operand.set(Dequantize(h, operand.get(), *p));
      any = true;
    }
    // The comparison type of stored integers does not apply to floats.
    if (any && mlir::isa<stablehlo::CompareOp>(op)) op->removeAttr("compare_type");
    h.b.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      mlir::Type quantized = Original(result);
      const auto p = Parameters::Of(quantized);
      if (!p) continue;
      quantized_.erase(result);
      result.setType(mlir::cast<RankedTensorType>(result.getType()).clone(p->expressed));
      llvm::SmallVector<mlir::OpOperand*> uses;
      for (mlir::OpOperand& use : result.getUses()) uses.push_back(&use);
      Value stored = Quantize(h, result, *p);
      for (mlir::OpOperand* use : uses) use->set(stored);
      quantized_[stored] = quantized;
    }
  }

  static void ComputeInF32(Hlo& h, mlir::Operation* op) {
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      if (IsStoredFloat(ElementIn(operand.get().getType()))) operand.set(h.Convert(operand.get(), h.b.getF32Type()));
    }
    h.b.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      auto type = mlir::cast<RankedTensorType>(result.getType());
      if (!IsStoredFloat(type.getElementType())) continue;
      llvm::SmallVector<mlir::OpOperand*> uses;
      for (mlir::OpOperand& use : result.getUses()) uses.push_back(&use);
      result.setType(type.clone(h.b.getF32Type()));
      Value narrow = h.Convert(result, type.getElementType());
      for (mlir::OpOperand* use : uses) use->set(narrow);
    }
  }

  // Converts quantized inputs and initial values of a reduction to the types of its region's arguments. The lowering of
  // reductions promotes the types that are not quantized (Promoted in lowering/scalar.h).
  void PromoteQuantized(Hlo& h, mlir::Operation* op) {
    if (!mlir::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp>(op)) return;
    mlir::Block& block = op->getRegion(0).front();
    const unsigned count = op->getNumResults();
    if (block.getNumArguments() != 2 * count) return;
    const bool scatter = mlir::isa<stablehlo::ScatterOp>(op);
    for (unsigned i = 0; i < 2 * count; ++i) {
      // The indices of a scatter come between its inputs and its updates.
      mlir::OpOperand& operand = op->getOpOperand(scatter && i >= count ? i + 1 : i);
      mlir::Type from = Original(operand.get());
      mlir::Type to = Original(block.getArgument(i));
      if (!Parameters::Of(from) && !Parameters::Of(to)) continue;
      Value converted = Converted(h, operand.get(), from, to);
      if (Parameters::Of(to)) quantized_[converted] = to;
      operand.set(converted);
    }
  }

  llvm::DenseMap<Value, mlir::Type> quantized_;
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerQuantizationPass() { return std::make_unique<LowerQuantization>(); }

}  // namespace opbyop::host
