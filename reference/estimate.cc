#include "reference/estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/evaluator.h"

namespace opbyop {
namespace {

double ElementsOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? static_cast<double>(tensor.getNumElements()) : 1;
}

double ProductOf(llvm::ArrayRef<int64_t> dims) {
  double product = 1;
  for (const int64_t d : dims) product *= static_cast<double>(d);
  return product;
}

class Estimator {
 public:
  explicit Estimator(mlir::ModuleOp module) : module_(module) {}

  double Region(mlir::Region& region) {
    double sum = 0;
    for (mlir::Block& block : region) {
      for (mlir::Operation& op : block) sum += Op(op);
    }
    return sum;
  }

  double bytes() const { return bytes_; }

 private:
  double Op(mlir::Operation& op) {
    double results = 0;
    for (mlir::Type type : op.getResultTypes()) results += ElementsOf(type);
    double operands = 0;
    for (mlir::Type type : op.getOperandTypes()) operands += ElementsOf(type);
    // Values and bounds are doubles.
    bytes_ = std::max(bytes_, 8 * (operands + 2 * results));
    for (const char* name : {"callee", "decomposition"}) {
      auto symbol = op.getAttrOfType<mlir::FlatSymbolRefAttr>(name);
      if (!symbol) continue;
      mlir::Operation* function = mlir::SymbolTable::lookupSymbolIn(module_, symbol.getValue());
      if (function == nullptr || function->getNumRegions() != 1) return results;
      const auto known = functions_.find(function);
      if (known != functions_.end()) return known->second;
      functions_[function] = 0;  // a call of itself adds nothing
      const double cost = Region(function->getRegion(0));
      return functions_[function] = cost;
    }
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      const auto shape = llvm::cast<mlir::RankedTensorType>(op.getOperand(0).getType()).getShape();
      double k = 1;
      for (const int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
        k *= static_cast<double>(shape[static_cast<size_t>(d)]);
      }
      return results * k;
    }
    if (llvm::isa<stablehlo::DotOp>(op)) {
      const auto shape = llvm::cast<mlir::RankedTensorType>(op.getOperand(0).getType()).getShape();
      return shape.empty() ? results : results * static_cast<double>(shape.back());
    }
    if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
      const auto type = llvm::cast<mlir::RankedTensorType>(op.getOperand(1).getType());
      const auto features = conv.getDimensionNumbers().getKernelOutputFeatureDimension();
      return results * ElementsOf(type) /
             static_cast<double>(std::max<int64_t>(type.getDimSize(static_cast<unsigned>(features)), 1));
    }
    if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op)) {
      return results * ProductOf(window.getWindowDimensions());
    }
    double inner = 0;
    for (mlir::Region& region : op.getRegions()) inner += Region(region);
    return results + operands + inner;
  }

  mlir::ModuleOp module_;
  llvm::DenseMap<mlir::Operation*, double> functions_;
  double bytes_ = 0;
};

}  // namespace

Work EstimateWork(mlir::ModuleOp module) {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return {};
  Estimator estimator(module);
  Work work;
  work.operations = estimator.Region((*entry)->getRegion(0));
  work.bytes = estimator.bytes();
  return work;
}

std::optional<std::string> TooLarge(const Work& work, const WorkLimits& limits) {
  if (work.operations > limits.operations) {
    return fmt::format("reference too large: {:.1f} G operations, limit {:.1f} G", work.operations / 1e9,
                       limits.operations / 1e9);
  }
  if (work.bytes > limits.bytes) {
    return fmt::format("reference too large: {:.1f} GB for one op, limit {:.1f} GB", work.bytes / 1e9,
                       limits.bytes / 1e9);
  }
  return std::nullopt;
}

}  // namespace opbyop
