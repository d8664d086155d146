// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/loop_trips.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "protocol/stored_form.h"
#include "reference/eval/cumulative.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/evaluator.h"
#include "support/dtype.h"
#include "support/machine_memory.h"

namespace opbyop::reference {
namespace {

mlir::RankedTensorType TensorOf(mlir::Value value) { return llvm::dyn_cast<mlir::RankedTensorType>(value.getType()); }

double ElementsOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? static_cast<double>(tensor.getNumElements()) : 1;
}

double ElementsOf(mlir::TypeRange types) {
  double sum = 0;
  for (mlir::Type type : types) sum += ElementsOf(type);
  return sum;
}

// The bytes of tensors: `held` by the evaluator, and `stored` as their types store them.
struct Bytes {
  double held = 0, stored = 0;
  Bytes operator+(const Bytes& b) const { return {held + b.held, stored + b.stored}; }
  Bytes operator-(const Bytes& b) const { return {held - b.held, stored - b.stored}; }
};

Bytes Most(const Bytes& a, const Bytes& b) { return {std::max(a.held, b.held), std::max(a.stored, b.stored)}; }

// The evaluator holds an i1 in a byte, a complex number in 16 bytes and any other element in 8, unless in stored form. If `bounded`, floats
// have a bound of the same size.
Bytes BytesOf(mlir::Type type, bool bounded) {
  const auto element = ElementTypeOf(type);
  const double elements = ElementsOf(type);
  if (!element) return {8 * elements, 8 * elements};
  const ElementKind kind = KindOf(*element);
  const double bound = bounded && (kind == ElementKind::kFloat || kind == ElementKind::kComplex) ? 8 : 0;
  const auto stored = static_cast<double>(DtypeBytes(NameOf(*element)).value_or(8));
  return {(static_cast<double>(StorageBytes(kind)) + bound) * elements, stored * elements};
}

double ProductOf(mlir::DenseI64ArrayAttr dims) {
  double product = 1;
  for (const int64_t d : dims.asArrayRef()) product *= static_cast<double>(d);
  return product;
}

double Dim(mlir::Value value, int64_t d) {
  const auto type = TensorOf(value);
  if (!type || d < 0) d += type ? type.getRank() : 0;
  if (!type || d < 0 || d >= type.getRank() || type.isDynamicDim(static_cast<unsigned>(d))) return 1;
  return static_cast<double>(type.getDimSize(static_cast<unsigned>(d)));
}

double Log2(double n) { return std::log2(std::max(n, 2.0)); }

// An op whose cost is asked for. `results` and `operands` are numbers of elements; `body` is the cost of one execution
// of its regions.
struct OpCost {
  mlir::Operation& op;
  double results, operands, body;
};
using CostFn = double (*)(const OpCost&);

// A multiply-add of a matrix product in double takes a fraction of the time of an element step.
double OfProducts(const OpCost& c, double multiply_adds) {
  const auto type = ElementTypeOf(c.op.getResult(0).getType());
  const FloatFormat* format = type ? Info(*type).format : nullptr;
  const bool is_matrix = format != nullptr && KindOf(*type) == ElementKind::kFloat && format->precision < 53;
  return is_matrix ? c.results + c.operands + multiply_adds / protocol::kMultiplyAddsPerStep : multiply_adds;
}

double DotGeneralCost(const OpCost& c) {
  const auto numbers = c.op.getAttrOfType<stablehlo::DotDimensionNumbersAttr>("dot_dimension_numbers");
  double k = 1;
  for (const int64_t d : numbers.getLhsContractingDimensions()) k *= Dim(c.op.getOperand(0), d);
  return OfProducts(c, c.results * k);
}

double DotCost(const OpCost& c) { return OfProducts(c, c.results * Dim(c.op.getOperand(0), -1)); }

double ConvolutionCost(const OpCost& c) {
  const auto numbers = c.op.getAttrOfType<stablehlo::ConvDimensionNumbersAttr>("dimension_numbers");
  const double features = Dim(c.op.getOperand(1), numbers.getKernelOutputFeatureDimension());
  return OfProducts(c, c.results * ElementsOf(c.op.getOperand(1).getType()) / std::max(features, 1.0));
}

bool IsCumulative(mlir::Operation& op) {
  const auto type = TensorOf(op.getOperand(0));
  if (!type || !type.hasStaticShape() || op.getName().getStringRef() != "stablehlo.reduce_window") return false;
  const auto ints = [&](const char* name) {
    std::vector<int64_t> list;
    if (const auto array = op.getAttrOfType<mlir::DenseI64ArrayAttr>(name)) list = array.asArrayRef().vec();
    return list;
  };
  std::vector<int64_t> padding;
  if (const auto elements = op.getAttrOfType<mlir::DenseIntElementsAttr>("padding")) {
    for (const llvm::APInt& v : elements.getValues<llvm::APInt>()) padding.push_back(v.getSExtValue());
  }
  return CumulativeOf(type.getShape().vec(), ints("window_dimensions"), ints("window_strides"), ints("base_dilations"),
                      ints("window_dilations"), padding)
      .has_value();
}

// The body runs once for every element of every window, and once for every element of a cumulative line.
double WindowCost(const OpCost& c) {
  if (IsCumulative(c.op)) return c.results + c.operands * std::max(c.body, 1.0);
  const auto window = c.op.getAttrOfType<mlir::DenseI64ArrayAttr>("window_dimensions");
  const double positions =
      std::max(c.results, c.op.getNumOperands() > 1 ? ElementsOf(c.op.getOperand(1).getType()) : 1);
  return c.operands + positions * (window ? ProductOf(window) : 1) * std::max(c.body, 1.0);
}

// The body runs once for every element of the operands.
double FoldCost(const OpCost& c) { return c.results + c.operands * std::max(c.body, 1.0); }

double SortCost(const OpCost& c) {
  const auto dimension = c.op.getAttrOfType<mlir::IntegerAttr>("dimension");
  const double length = Dim(c.op.getOperand(0), dimension ? dimension.getInt() : -1);
  return c.operands * Log2(length) * std::max(c.body, 1.0);
}

double FftCost(const OpCost& c) {
  const auto length = c.op.getAttrOfType<mlir::DenseI64ArrayAttr>("fft_length");
  // Bluestein's algorithm takes three transforms of up to four times the length.
  return 16 * std::max(c.operands, c.results) * Log2(length ? ProductOf(length) : 2);
}

double MatrixCost(const OpCost& c) { return c.operands * Dim(c.op.getOperand(0), -1); }
// Each row or term is in one group at most.
double RaggedCost(const OpCost& c) { return OfProducts(c, c.results * Dim(c.op.getOperand(0), -1)); }

const llvm::StringMap<CostFn>& Costs() {
  static const llvm::StringMap<CostFn> costs = {
      {"chlo.ragged_dot", &RaggedCost},
      {"chlo.top_k", &SortCost},
      {"stablehlo.cholesky", &MatrixCost},
      {"stablehlo.convolution", &ConvolutionCost},
      {"stablehlo.dot", &DotCost},
      {"stablehlo.dot_general", &DotGeneralCost},
      {"stablehlo.dynamic_conv", &ConvolutionCost},
      // An estimate by the last dimension of the left operand, as for a matrix product.
      {"stablehlo.einsum", [](const OpCost& c) { return c.results * Dim(c.op.getOperand(0), -1) + c.operands; }},
      {"stablehlo.fft", &FftCost},
      {"stablehlo.map", &FoldCost},
      {"stablehlo.reduce", &FoldCost},
      {"stablehlo.reduce_window", &WindowCost},
      {"stablehlo.scatter", &FoldCost},
      {"stablehlo.select_and_scatter", &WindowCost},
      {"stablehlo.sort", &SortCost},
      {"stablehlo.triangular_solve", [](const OpCost& c) { return c.results * Dim(c.op.getOperand(0), -1); }},
  };
  return costs;
}

// The trips of a loop that counts from one constant to another, with steps of 1 if the steps are not known. Returns 1
// for any other loop.
double EstimatedTrips(mlir::Operation& loop) {
  if (const auto trips = TripsOf(loop)) return static_cast<double>(*trips);
  const std::optional<CountedRange> range = CountedRangeOf(loop);
  if (!range) return 1;
  return std::max(1.0, std::fabs(static_cast<double>(range->to) - static_cast<double>(range->from)));
}

struct Cost {
  double operations = 0;
  double executions = 0;
  Bytes bytes;  // peak memory, without the values that are alive outside of the region
};

class Estimator {
 public:
  Estimator(mlir::ModuleOp module, mlir::Region& entry) : module_(module), entry_(&entry) {}

  // The bytes of an argument of the entry function.
  Bytes OfArgument(mlir::Value argument) const {
    return IsHeldStored(argument) ? StoredOnly(argument) : BytesOf(argument.getType(), false);
  }

  Cost Of(mlir::Region& region) {
    Cost sum;
    for (mlir::Block& block : region) {
      llvm::DenseMap<mlir::Operation*, Bytes> freed;
      Bytes live;
      for (mlir::Operation& op : block) {
        const Cost own = Of(op);
        Bytes made;
        for (mlir::Value result : op.getResults()) {
          const Bytes bytes = IsHeldStored(result) ? StoredOnly(result) : BytesOf(result.getType(), true);
          Bytes& then = freed[LastUse(block, result)];
          made = made + bytes;
          then = then + bytes;
        }
        sum.operations += own.operations;
        sum.executions += own.executions;
        sum.bytes = Most(sum.bytes, live + made + own.bytes);
        live = live + made - freed.lookup(&op);
      }
    }
    return sum;
  }

 private:
  static Bytes StoredOnly(mlir::Value value) {
    const double stored = BytesOf(value.getType(), false).stored;
    return {stored, stored};
  }

  static bool ReadsStored(mlir::Operation* op) {
    return op->hasTrait<mlir::OpTrait::IsTerminator>() ||
           protocol::ReadsStored(op->getName().getStringRef(), ElementsOf(op->getResultTypes()));
  }

  static bool MovesStored(mlir::Operation* op) {
    return protocol::MovesStored(op->getName().getStringRef(), ElementsOf(op->getResultTypes()));
  }

  // True for values that no op has computed: the arguments of the entry function, and what is moved from them.
  bool IsExact(mlir::Value value) const {
    mlir::Operation* op = value.getDefiningOp();
    if (op == nullptr) return value.getParentRegion() == entry_;
    return op->hasTrait<mlir::OpTrait::ConstantLike>() ||
           (MovesStored(op) && llvm::all_of(op->getOperands(), [&](mlir::Value v) { return IsExact(v); }));
  }

  // Whether the evaluator holds a large value in stored form from its definition to its last use.
  bool IsHeldStored(mlir::Value value) const {
    mlir::Operation* op = value.getDefiningOp();
    const double elements = ElementsOf(value.getType());
    const int64_t fewest = op == nullptr ? protocol::kWorthStored : protocol::kManyElements;
    if (elements < static_cast<double>(fewest) || !IsExact(value)) return false;
    return llvm::all_of(value.getUsers(), &ReadsStored);
  }

  static mlir::Operation* LastUse(mlir::Block& block, mlir::Value value) {
    mlir::Operation* last = value.getDefiningOp();
    for (mlir::Operation* user : value.getUsers()) {
      mlir::Operation* here = block.findAncestorOpInBlock(*user);
      if (here != nullptr && last->isBeforeInBlock(here)) last = here;
    }
    return last;
  }

  // The number of ops that a reduction or a sort executes in its body. A short body runs on whole rows of elements at
  // once and counts once; a long one counts once per element.
  static double ExecutionsOfElements(const OpCost& own, const Cost& body) {
    constexpr double kLong = 1000;
    return body.executions > kLong ? body.executions * own.operands : body.executions;
  }

  Cost OfFunction(mlir::Operation* function) {
    const auto [known, is_new] = functions_.try_emplace(function);  // a recursive call adds nothing
    if (!is_new) return known->second;
    Cost cost = Of(function->getRegion(0));
    cost.executions += 1;
    return functions_[function] = cost;
  }

  Cost Of(mlir::Operation& op) {
    if (op.hasTrait<mlir::OpTrait::IsTerminator>()) return {};
    for (const char* name : {"callee", "decomposition"}) {
      auto symbol = op.getAttrOfType<mlir::FlatSymbolRefAttr>(name);
      if (!symbol) continue;
      mlir::Operation* function = mlir::SymbolTable::lookupSymbolIn(module_, symbol.getValue());
      if (function == nullptr || function->getNumRegions() != 1) break;
      const Cost cost = OfFunction(function);
      if (cost.operations > protocol::kMostSteps && IsNativeComposite(&op)) break;
      return cost;
    }
    Cost body;
    for (mlir::Region& region : op.getRegions()) {
      const Cost cost = Of(region);
      body.operations += cost.operations;
      body.executions += cost.executions;
      body.bytes = Most(body.bytes, cost.bytes);
    }
    const std::string name = NativeNameOf(&op);
    const OpCost own{op, ElementsOf(op.getResultTypes()), ElementsOf(op.getOperandTypes()), body.operations};
    const auto found = Costs().find(name);
    if (found != Costs().end()) return {found->second(own), 1 + ExecutionsOfElements(own, body), body.bytes};
    if (name == "stablehlo.while") {
      const double trips = EstimatedTrips(op);
      body.operations *= trips;
      body.executions *= trips;
    }
    return {own.results + own.operands + body.operations, 1 + body.executions, body.bytes};
  }

  mlir::ModuleOp module_;
  mlir::Region* entry_;
  llvm::DenseMap<mlir::Operation*, Cost> functions_;
};

}  // namespace

Work EstimateWork(mlir::ModuleOp module) {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return {};
  mlir::Region& body = (*entry)->getRegion(0);
  Estimator estimator(module, body);
  const Cost cost = estimator.Of(body);
  Bytes bytes = cost.bytes;
  if (!body.empty()) {
    for (mlir::Value argument : body.getArguments()) bytes = bytes + estimator.OfArgument(argument);
  }
  return {
      .operations = cost.operations, .executions = cost.executions, .bytes = bytes.held, .live_bytes = bytes.stored};
}

bool EvaluatesDecomposition(mlir::Operation* composite) {
  const auto module = composite->getParentOfType<mlir::ModuleOp>();
  const auto symbol = composite->getAttrOfType<mlir::FlatSymbolRefAttr>("decomposition");
  mlir::Operation* function = module && symbol ? mlir::SymbolTable::lookupSymbolIn(module, symbol.getValue()) : nullptr;
  if (function == nullptr || function->getNumRegions() != 1) return true;
  mlir::Region& body = function->getRegion(0);
  return Estimator(module, body).Of(body).operations <= protocol::kMostSteps;
}

WorkLimits LimitsOfMachine() {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  return {.operations = kNoLimit, .bytes = static_cast<double>(MachineMemory()), .seconds = kNoLimit};
}

std::optional<std::string> TooLarge(const Work& work, const WorkLimits& limits) {
  if (work.operations > limits.operations) {
    return fmt::format("reference too large: {:.1f} G operations, limit {:.1f} G", work.operations / 1e9,
                       limits.operations / 1e9);
  }
  if (work.executions > limits.executions) {
    return fmt::format("reference too large: {:.3g} ops would be executed, limit {:.3g}", work.executions,
                       limits.executions);
  }
  if (work.bytes > limits.bytes) {
    return fmt::format("reference too large: {:.1f} GB alive at once, limit {:.1f} GB", work.bytes / 1e9,
                       limits.bytes / 1e9);
  }
  return std::nullopt;
}

}  // namespace opbyop::reference
