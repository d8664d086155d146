#include "reference/input_role.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "reference/region_form.h"

namespace opbyop {
namespace {

// Ranges where an op is defined, well-conditioned and far from overflow. Operand -1: every one.
struct RangeRow {
  std::string_view op;
  int operand;
  double low, high, away;
};

constexpr RangeRow kRanges[] = {
    {"stablehlo.log", 0, 0.1, 8, 0},
    {"stablehlo.log_plus_one", 0, -0.9, 8, 0},
    {"stablehlo.sqrt", 0, 0.05, 8, 0},
    {"stablehlo.rsqrt", 0, 0.05, 8, 0},
    {"stablehlo.exponential", 0, -4, 4, 0},
    {"stablehlo.exponential_minus_one", 0, -4, 4, 0},
    {"stablehlo.logistic", 0, -6, 6, 0},
    {"stablehlo.tanh", 0, -4, 4, 0},
    {"stablehlo.tan", 0, -1.4, 1.4, 0},
    {"stablehlo.sine", 0, -6, 6, 0},
    {"stablehlo.cosine", 0, -6, 6, 0},
    {"stablehlo.floor", 0, -50, 50, 0},
    {"stablehlo.ceil", 0, -50, 50, 0},
    {"stablehlo.round_nearest_afz", 0, -50, 50, 0},
    {"stablehlo.round_nearest_even", 0, -50, 50, 0},
    {"stablehlo.power", 0, 0.25, 4, 0},
    {"stablehlo.power", 1, -3, 3, 0},
    {"stablehlo.divide", 1, -4, 4, 0.5},
    {"stablehlo.remainder", 0, -20, 20, 0},
    {"stablehlo.remainder", 1, -4, 4, 0.5},
    {"stablehlo.atan2", -1, -4, 4, 0.1},
    {"stablehlo.clamp", 0, -1, -0.5, 0},
    {"stablehlo.clamp", 2, 0.5, 1, 0},
    {"stablehlo.dot_general", -1, -1, 1, 0},
    {"stablehlo.dot", -1, -1, 1, 0},
    {"stablehlo.convolution", -1, -1, 1, 0},
    {"stablehlo.batch_norm_inference", 4, 0.25, 2, 0},
    {"stablehlo.batch_norm_grad", 3, 0.25, 2, 0},
    {"chlo.erf_inv", 0, -0.99, 0.99, 0},
    {"chlo.acos", 0, -0.95, 0.95, 0},
    {"chlo.asin", 0, -0.95, 0.95, 0},
    {"chlo.atanh", 0, -0.95, 0.95, 0},
    {"chlo.acosh", 0, 1.1, 8, 0},
    {"chlo.sinh", 0, -4, 4, 0},
    {"chlo.cosh", 0, -4, 4, 0},
    {"chlo.tan", 0, -1.4, 1.4, 0},
    {"chlo.erf", 0, -3, 3, 0},
    {"chlo.erfc", 0, -3, 3, 0},
    {"chlo.digamma", 0, 0.2, 10, 0},
    {"chlo.lgamma", 0, 0.2, 10, 0},
    {"chlo.polygamma", 0, 1, 4, 0},
    {"chlo.polygamma", 1, 0.5, 8, 0},
    {"chlo.zeta", 0, 1.5, 6, 0},
    {"chlo.zeta", 1, 0.5, 8, 0},
    {"chlo.ragged_dot", 2, 0, 2, 0},
};

bool PassesThrough(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"stablehlo.reshape", "stablehlo.broadcast_in_dim", "stablehlo.broadcast", "stablehlo.transpose",
              "stablehlo.slice", "stablehlo.reverse", "stablehlo.concatenate", "stablehlo.optimization_barrier",
              "stablehlo.pad", "stablehlo.negate", "sdy.sharding_constraint"},
             true)
      .Case("stablehlo.custom_call", true)
      .Default(false);
}

llvm::ArrayRef<int64_t> ShapeOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getShape() : llvm::ArrayRef<int64_t>();
}

bool IsInteger(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::IntegerType, mlir::IndexType>(type.getElementType());
}

// The name under which the table knows the op: CHLO's for composites and custom calls that stand for one.
std::string KnownName(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.composite") {
    auto inner = op->getAttrOfType<mlir::StringAttr>("name");
    if (inner && inner.getValue().starts_with("chlo.")) return inner.getValue().str();
  }
  if (name == "stablehlo.custom_call") {
    auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
    if (target && target.getValue().starts_with("mhlo.")) {
      return target.getValue() == "mhlo.topk" ? "chlo.top_k" : "chlo." + target.getValue().drop_front(5).str();
    }
  }
  if (name.starts_with("chlo.broadcast_")) return "stablehlo." + name.drop_front(15).str();
  return name.str();
}

// Strides of index components inside an indices tensor.
IndexRole VectorIndex(mlir::Value indices, int64_t index_vector_dim, std::vector<int64_t> limits) {
  IndexRole role;
  role.component_count = static_cast<int64_t>(limits.size());
  role.limits = std::move(limits);
  const llvm::ArrayRef<int64_t> shape = ShapeOf(indices);
  if (index_vector_dim < static_cast<int64_t>(shape.size())) {
    role.component_stride = 1;
    for (size_t d = static_cast<size_t>(index_vector_dim) + 1; d < shape.size(); ++d) role.component_stride *= shape[d];
  }
  return role;
}

std::optional<IndexRole> IndexOf(mlir::Operation* op, const std::string& name, unsigned operand) {
  const auto limit = [](int64_t extent, int64_t size) { return std::max<int64_t>(0, extent - size); };
  if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(op); gather && operand == 1) {
    const auto numbers = gather.getDimensionNumbers();
    std::vector<int64_t> limits;
    for (const int64_t d : numbers.getStartIndexMap()) {
      limits.push_back(
          limit(ShapeOf(op->getOperand(0))[static_cast<size_t>(d)], gather.getSliceSizes()[static_cast<size_t>(d)]));
    }
    return VectorIndex(op->getOperand(1), numbers.getIndexVectorDim(), std::move(limits));
  }
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op)) {
    const unsigned inputs = (op->getNumOperands() - 1) / 2;
    if (operand != inputs) return std::nullopt;
    const auto numbers = scatter.getScatterDimensionNumbers();
    const llvm::ArrayRef<int64_t> shape = ShapeOf(op->getOperand(0));
    const llvm::ArrayRef<int64_t> updates = ShapeOf(op->getOperand(inputs + 1));
    // Window extent per operand dimension: inserted and batching ones have 1.
    std::vector<int64_t> window(shape.size(), 1);
    size_t next = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto dim = static_cast<int64_t>(d);
      if (llvm::is_contained(numbers.getInsertedWindowDims(), dim) ||
          llvm::is_contained(numbers.getInputBatchingDims(), dim)) {
        continue;
      }
      if (next < numbers.getUpdateWindowDims().size()) {
        window[d] = updates[static_cast<size_t>(numbers.getUpdateWindowDims()[next++])];
      }
    }
    std::vector<int64_t> limits;
    for (const int64_t d : numbers.getScatterDimsToOperandDims()) {
      limits.push_back(limit(shape[static_cast<size_t>(d)], window[static_cast<size_t>(d)]));
    }
    IndexRole role = VectorIndex(op->getOperand(inputs), numbers.getIndexVectorDim(), std::move(limits));
    // Where the last of several updates would win, the order is the implementation's.
    const Combine form = CombineOf(scatter.getUpdateComputation());
    role.unique = scatter.getUniqueIndices() || form == Combine::kOther || form == Combine::kSecond;
    return role;
  }
  if (auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(op); slice && operand >= 1) {
    const size_t d = operand - 1;
    return IndexRole{{limit(ShapeOf(op->getOperand(0))[d], slice.getSliceSizes()[d])}};
  }
  if (name == "stablehlo.dynamic_update_slice" && operand >= 2) {
    const size_t d = operand - 2;
    return IndexRole{{limit(ShapeOf(op->getOperand(0))[d], ShapeOf(op->getOperand(1))[d])}};
  }
  if (name == "stablehlo.torch_index_select" && operand == 1) {
    const int64_t d = op->getAttrOfType<mlir::IntegerAttr>("dim").getInt();
    return IndexRole{{limit(ShapeOf(op->getOperand(0))[static_cast<size_t>(d)], 1)}};
  }
  if (name == "stablehlo.case" && operand == 0) return IndexRole{{static_cast<int64_t>(op->getNumRegions()) - 1}};
  return std::nullopt;
}

// A constant, perhaps broadcast or converted.
bool IsConstantChain(mlir::Value value) {
  for (int depth = 0; depth < 8; ++depth) {
    mlir::Operation* op = value.getDefiningOp();
    if (op == nullptr) return false;
    const llvm::StringRef name = op->getName().getStringRef();
    if (name == "stablehlo.constant") return true;
    if (op->getNumOperands() != 1 ||
        (name != "stablehlo.broadcast_in_dim" && name != "stablehlo.convert" && name != "stablehlo.reshape")) {
      return false;
    }
    value = op->getOperand(0);
  }
  return false;
}

// Of equal keys, the first stays first.
bool IsStable(mlir::Operation* op) {
  auto stable = op->getAttrOfType<mlir::BoolAttr>("is_stable");
  return op->getName().getStringRef() != "stablehlo.sort" || (stable && stable.getValue());
}

class Tracer {
 public:
  InputRole Trace(mlir::Value argument) {
    Visit(argument, 0);
    if (role_.ranged && role_.low > role_.high) {
      role_.low = -2;
      role_.high = 2;
    }
    return role_;
  }

 private:
  void Restrict(double low, double high, double away) {
    role_.low = role_.ranged ? std::max(role_.low, low) : low;
    role_.high = role_.ranged ? std::min(role_.high, high) : high;
    role_.away = std::max(role_.away, away);
    role_.ranged = true;
  }

  void Visit(mlir::Value value, int depth) {
    if (depth > 32 || !seen_.insert(value).second) return;
    for (mlir::OpOperand& use : value.getUses()) Use(use, depth);
  }

  void Use(mlir::OpOperand& use, int depth) {
    mlir::Operation* op = use.getOwner();
    const unsigned operand = use.getOperandNumber();
    const std::string name = KnownName(op);
    if (auto index = IndexOf(op, name, operand)) {
      if (!role_.index) role_.index = std::move(index);
      return;
    }
    bool known = false;
    for (const RangeRow& row : kRanges) {
      if (row.op != name || (row.operand >= 0 && static_cast<unsigned>(row.operand) != operand)) continue;
      Restrict(row.low, row.high, row.away);
      known = true;
    }
    if (name == "stablehlo.convert") {
      RestrictToTarget(op->getResult(0));
      Visit(op->getResult(0), depth + 1);
      return;
    }
    // A negative power of an integer is nothing that targets agree on.
    if (name == "stablehlo.power" && operand == 1 && IsInteger(use.get())) Restrict(0, 3, 0);
    if (known) return;
    if (name == "stablehlo.compare") role_.coarse = true;
    if (name == "stablehlo.is_finite") role_.specials = true;
    if (IsInteger(use.get()) && name.find("stablehlo.shift_") == 0 && operand == 1) {
      Restrict(0, WidthOf(use.get()) - 1, 0);
      return;
    }
    if (name == "stablehlo.sort" || name == "chlo.top_k") {
      // Stable for one reader is not stable for another.
      role_.stable = IsStable(op) && (role_.stable || !role_.distinct);
      role_.distinct = true;
      return;
    }
    if (name == "stablehlo.cholesky") role_.matrix = Matrix::kPositiveDefinite;
    if (name == "stablehlo.triangular_solve" && operand == 0) role_.matrix = Matrix::kTriangular;
    if (name == "stablehlo.reduce" || name == "stablehlo.reduce_window") {
      const Combine form = CombineOf(op->getRegion(0));
      if (form == Combine::kMultiply) Restrict(0.5, 1.5, 0);
      return;
    }
    if (name == "func.call" || name == "stablehlo.composite") {
      auto symbol = op->getAttrOfType<mlir::FlatSymbolRefAttr>(name == "func.call" ? "callee" : "decomposition");
      mlir::Operation* function = symbol ? mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol.getAttr()) : nullptr;
      if (function && function->getNumRegions() == 1 && !function->getRegion(0).empty() &&
          operand < function->getRegion(0).getNumArguments()) {
        Visit(function->getRegion(0).getArgument(operand), depth + 1);
      }
      return;
    }
    if (name == "stablehlo.while") {
      for (mlir::Region& region : op->getRegions()) {
        if (operand < region.getNumArguments()) Visit(region.getArgument(operand), depth + 1);
      }
      return;
    }
    // x + epsilon under a root or a logarithm: x must be what x + epsilon must be.
    const bool adds_constant = name == "stablehlo.add" && IsConstantChain(op->getOperand(1 - operand));
    if (PassesThrough(name) || adds_constant) {
      for (mlir::Value result : op->getResults()) Visit(result, depth + 1);
    }
  }

  // Only what the target of a conversion can hold: beyond it nothing is specified.
  void RestrictToTarget(mlir::Value result) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
    auto integer = type ? llvm::dyn_cast<mlir::IntegerType>(type.getElementType()) : mlir::IntegerType();
    if (!integer || integer.getWidth() == 1) return;
    const double most = std::min(100.0, std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1) - 1);
    Restrict(integer.isUnsigned() ? 0 : -most, most, 0);
  }

  static double WidthOf(mlir::Value value) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && type.getElementType().isInteger() ? type.getElementTypeBitWidth() : 64;
  }

  InputRole role_;
  llvm::DenseSet<mlir::Value> seen_;
};

}  // namespace

InputRole RoleOfArgument(mlir::Value argument) { return Tracer().Trace(argument); }

}  // namespace opbyop
