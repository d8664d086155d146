// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/input_role.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "ir/chlo/chlo.h"
#include "ir/op_info.h"
#include "ir/shape_assertion.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/region_form.h"
#include "reference/inputs/block.h"
#include "reference/rules/op_rules.h"

namespace opbyop::reference {
namespace {

constexpr std::pair<Matrix, std::string_view> kMatrixNames[] = {{Matrix::kTriangular, "triangular"},
                                                                {Matrix::kPositiveDefinite, "positive_definite"}};

bool IsInteger(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::IntegerType, mlir::IndexType>(type.getElementType());
}

bool IsComplex(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::ComplexType>(type.getElementType());
}

bool IsUnsigned(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getElementType().isUnsignedInteger();
}

// Describes index vectors whose components have these limits, including their layout in the tensor of indices.
IndexRole VectorIndex(mlir::Value indices, int64_t index_vector_dim, std::vector<int64_t> limits) {
  IndexRole role;
  role.component_count = static_cast<int64_t>(limits.size());
  role.limits = std::move(limits);
  const llvm::ArrayRef<int64_t> shape = DimensionsOf(indices);
  if (index_vector_dim < static_cast<int64_t>(shape.size())) {
    role.component_stride = 1;
    for (size_t d = static_cast<size_t>(index_vector_dim) + 1; d < shape.size(); ++d) role.component_stride *= shape[d];
  }
  return role;
}

// Returns the components in the order in which sorted vectors are compared, if `sorted`; else nothing. Component c
// indexes dimension `dims[c]` of the operand.
std::vector<size_t> OrderOf(llvm::ArrayRef<int64_t> dims, bool sorted) {
  std::vector<size_t> order(sorted ? dims.size() : 0);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t c) { return dims[c]; });
  return order;
}

std::optional<IndexRole> IndexOf(mlir::Operation* op, const std::string& name, unsigned operand) {
  const auto limit = [](int64_t extent, int64_t size) { return std::max<int64_t>(0, extent - size); };
  if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(op); gather && operand == 1) {
    const auto numbers = gather.getDimensionNumbers();
    std::vector<int64_t> limits;
    for (const int64_t d : numbers.getStartIndexMap()) {
      limits.push_back(limit(DimensionsOf(op->getOperand(0))[static_cast<size_t>(d)],
                             gather.getSliceSizes()[static_cast<size_t>(d)]));
    }
    IndexRole role = VectorIndex(op->getOperand(1), numbers.getIndexVectorDim(), std::move(limits));
    role.sorted_by = OrderOf(numbers.getStartIndexMap(), gather.getIndicesAreSorted());
    return role;
  }
  if (auto gather = llvm::dyn_cast<stablehlo::DynamicGatherOp>(op); gather && operand == 1) {
    const auto numbers = gather.getDimensionNumbers();
    std::vector<int64_t> limits;  // slice sizes are unknown; a slice that ends beyond the operand is moved
    for (const int64_t d : numbers.getStartIndexMap()) {
      limits.push_back(limit(DimensionsOf(op->getOperand(0))[static_cast<size_t>(d)], 1));
    }
    IndexRole role = VectorIndex(op->getOperand(1), numbers.getIndexVectorDim(), std::move(limits));
    role.sorted_by = OrderOf(numbers.getStartIndexMap(), gather.getIndicesAreSorted());
    return role;
  }
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op)) {
    const unsigned inputs = (op->getNumOperands() - 1) / 2;
    if (operand != inputs) return std::nullopt;
    const auto numbers = scatter.getScatterDimensionNumbers();
    const llvm::ArrayRef<int64_t> shape = DimensionsOf(op->getOperand(0));
    const llvm::ArrayRef<int64_t> updates = DimensionsOf(op->getOperand(inputs + 1));
    // The window's extent in each dimension of the operand. It is 1 in inserted and batching dimensions.
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
    // If the last of several updates to a place would win, the result would depend on the order.
    const Combine form = CombineOf(scatter.getUpdateComputation());
    role.sorted_by = OrderOf(numbers.getScatterDimsToOperandDims(), scatter.getIndicesAreSorted());
    role.unique = scatter.getUniqueIndices() || form == Combine::kOther || form == Combine::kSecond;
    return role;
  }
  if (auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(op); slice && operand >= 1) {
    const size_t d = operand - 1;
    return IndexRole{{limit(DimensionsOf(op->getOperand(0))[d], slice.getSliceSizes()[d])}};
  }
  if (name == "stablehlo.dynamic_update_slice" && operand >= 2) {
    const size_t d = operand - 2;
    return IndexRole{{limit(DimensionsOf(op->getOperand(0))[d], DimensionsOf(op->getOperand(1))[d])}};
  }
  if (name == "stablehlo.torch_index_select" && operand == 1) {
    const int64_t d = op->getAttrOfType<mlir::IntegerAttr>("dim").getInt();
    return IndexRole{{limit(DimensionsOf(op->getOperand(0))[static_cast<size_t>(d)], 1)}};
  }
  if (name == "stablehlo.case" && operand == 0) return IndexRole{{static_cast<int64_t>(op->getNumRegions()) - 1}};
  return std::nullopt;
}

// Whether the sizes of the operands are known, as they are not in definitions of custom calls for every size.
bool HasStaticOperands(mlir::Operation* op) {
  return llvm::all_of(op->getOperandTypes(), [](mlir::Type type) {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
}

// The greatest size of a group of a ragged dot. Half of all rows or terms are then in a group.
double MostOfAGroup(mlir::Operation* op) {
  const auto numbers = chlo::RaggedNumbersOf(NativeAttributeOf(op, chlo::kRaggedNumbers));
  const llvm::ArrayRef<int64_t> lhs = DimensionsOf(op->getOperand(0)), sizes = DimensionsOf(op->getOperand(2));
  constexpr int64_t kFewest = 2;
  if (!numbers || numbers->lhs_ragged.size() != 1 || !HasStaticOperands(op)) return kFewest;
  const auto ragged = static_cast<size_t>(numbers->lhs_ragged[0]);
  const int64_t groups = sizes.empty() ? 1 : std::max<int64_t>(sizes.back(), 1);
  return static_cast<double>(std::max(ragged < lhs.size() ? lhs[ragged] / groups : 0, kFewest));
}

// Whether elements with equal keys keep their order.
bool IsStable(mlir::Operation* op) {
  auto stable = op->getAttrOfType<mlir::BoolAttr>("is_stable");
  return op->getName().getStringRef() != "stablehlo.sort" || (stable && stable.getValue());
}

// If the operand is the initial value of a reduction, returns the function of the reduction; else kOther.
Combine ReductionOf(mlir::Operation* op, unsigned operand) {
  if (llvm::isa<stablehlo::SelectAndScatterOp>(op)) return operand == 2 ? CombineOf(op->getRegion(1)) : Combine::kOther;
  const unsigned inputs = op->getNumOperands() / 2;
  return operand >= inputs ? CombineOfResult(op->getRegion(0), operand - inputs) : Combine::kOther;
}

class Tracer {
 public:
  InputRole Trace(mlir::Value argument) {
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType()); type && type.hasStaticShape()) {
      size_ = type.getNumElements();
    }
    narrowest_ = ElementTypeOf(argument.getType());
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

  void Specify(double least, double most) {
    role_.least = std::max(role_.least, least);
    role_.most = std::min(role_.most, most);
  }

  void Visit(mlir::Value value, int depth) {
    if (depth > 32 || !seen_.insert(value).second) return;
    for (mlir::OpOperand& use : value.getUses()) Use(use, depth);
  }

  // Visits `value` with another narrowest type of its elements so far.
  void VisitAs(std::optional<ElementType> narrowest, mlir::Value value, int depth) {
    std::swap(narrowest_, narrowest);
    Visit(value, depth);
    narrowest_ = narrowest;
  }

  void Use(mlir::OpOperand& use, int depth) {
    mlir::Operation* op = use.getOwner();
    const std::string name = NativeNameOf(op);
    if (std::vector<ElementRange> ranges = ShapeOperandRanges(op, use.getOperandNumber()); !ranges.empty()) {
      if (role_.elements.empty()) role_.elements = std::move(ranges);
      return;
    }
    if (IsShapeAssertion(op) && use.getOperandNumber() == 0) {
      role_.holds = true;
      return;
    }
    if (HasStaticOperands(op)) {
      role_.elements_per_result = std::max(role_.elements_per_result, ElementsPerResult(use));
      if (!role_.sums) role_.sums = moves_ > 0 ? SparsePatternOf(use, size_) : SparsePatternOf(use);
      if (!role_.lines) {
        role_.lines = moves_ > 0 ? LinesOf(use, size_) : LinesOf(use);
        if (role_.lines) role_.lines->element = narrowest_;
      }
    }
    if (name == "func.call") return VisitCallee(op, "callee", use.getOperandNumber(), depth);
    if (const auto inputs = op->getAttrOfType<mlir::ArrayAttr>(kInputAttribute);
        inputs && use.getOperandNumber() < inputs.size()) {
      return Take(DeclaredInputOf(inputs[use.getOperandNumber()]));
    }
    if (op->hasAttr(kBatchRank)) return VisitCallee(op, "called_computations", use.getOperandNumber(), depth);
    for (const InputRule* rule : InputRulesOf(name, use.getOperandNumber())) Apply(*rule, name, use, depth);
  }

  void Apply(const InputRule& rule, const std::string& name, mlir::OpOperand& use, int depth) {
    mlir::Operation* op = use.getOwner();
    const unsigned operand = use.getOperandNumber();
    Specify(rule.least, rule.most);
    switch (rule.demand) {
      case Demand::kNone:
      case Demand::kStatic:
        return;
      case Demand::kOrder:
        role_.whole = true;
        [[fallthrough]];
      case Demand::kRange:
        role_.nonzero = role_.nonzero || (rule.away > 0 && IsInteger(use.get()));
        return Restrict(rule.low, rule.high, rule.away);
      case Demand::kVariance:
        if (const auto epsilon = op->getAttrOfType<mlir::FloatAttr>("epsilon")) {
          role_.epsilon = epsilon.getValueAsDouble();
        }
        return Restrict(rule.low, rule.high, rule.away);
      case Demand::kSpread:
        return TakeFeatures(op);
      case Demand::kBits:
        return Restrict(-kEveryBit, kEveryBit, 0);
      case Demand::kGroupSizes:
        return Restrict(0, MostOfAGroup(op), 0);
      case Demand::kIndex:
        if (role_.index || !HasStaticOperands(op)) return;
        role_.index = IndexOf(op, name, operand);
        return;
      case Demand::kShiftAmount:
        role_.amount = true;
        return Restrict(0, WidthOf(use.get()) - 1, 0);
      case Demand::kDividend:
        if (IsInteger(use.get())) Specify(-GreatestOf(static_cast<int>(WidthOf(use.get())) - 1), kEveryBit);
        return;
      case Demand::kSmallExponent:
        // Targets do not agree on negative powers of integers.
        if (!IsInteger(use.get())) return;
        Specify(0, kEveryBit);
        return Restrict(0, 3, 0);
      case Demand::kConversion:
        RestrictToTarget(op->getResult(0));
        return VisitAs(Narrower(narrowest_, ElementTypeOf(op->getResult(0).getType())), op->getResult(0), depth + 1);
      case Demand::kDistinct:
        // All readers must be stable.
        role_.stable = IsStable(op) && (role_.stable || !role_.distinct);
        role_.distinct = true;
        return;
      case Demand::kTies:
        if (IsComplex(use.get())) role_.grid = std::max(role_.grid, 2.0);
        return;
      case Demand::kCoarse:
        role_.grid = std::max(role_.grid, 0.5);
        return;
      case Demand::kSpecials:
        role_.specials = true;
        return;
      case Demand::kDefinite:
        role_.matrix = Matrix::kPositiveDefinite;
        return;
      case Demand::kTriangular:
        // If the op declares a unit diagonal and the diagonal has other values, the result is not specified.
        role_.matrix = llvm::cast<stablehlo::TriangularSolveOp>(op).getUnitDiagonal() ? Matrix::kUnitTriangular
                                                                                      : Matrix::kTriangular;
        return;
      case Demand::kFactors:
        if (const Combine form = ReductionOf(op, operand);
            form != Combine::kOther && form != Combine::kFirst && form != Combine::kSecond)
          role_.initial = form;
        if (CombineOf(op->getRegion(0)) == Combine::kMultiply) Restrict(0.5, 1.5, 0);
        if (IsUnsigned(use.get())) KeepBits(CombineOf(op->getRegion(0)), static_cast<int>(WidthOf(use.get())));
        return;
      case Demand::kPassesSums:
        // In x + epsilon under a root or a logarithm, the demand on x + epsilon also applies to x.
        if (!IsConstantChain(op->getOperand(1 - operand))) return;
        [[fallthrough]];
      case Demand::kPasses:
        VisitResults(op, operand, depth);
        return;
      case Demand::kCallee:
        return VisitCallee(op, "decomposition", operand, depth);
      case Demand::kRegions:
        for (mlir::Region& region : op->getRegions()) {
          if (operand < region.getNumArguments()) Visit(region.getArgument(operand), depth + 1);
        }
        return;
    }
  }

  // Records the epsilon and the features, if the argument itself is normalized.
  void TakeFeatures(mlir::Operation* op) {
    const llvm::ArrayRef<int64_t> shape = DimensionsOf(op->getOperand(0));
    const auto epsilon = op->getAttrOfType<mlir::FloatAttr>("epsilon");
    const auto index = op->getAttrOfType<mlir::IntegerAttr>("feature_index");
    if (!epsilon || !index || moves_ > 0 || role_.features > 1 || !HasStaticOperands(op)) return;
    const auto d = static_cast<size_t>(index.getInt());
    role_.epsilon = epsilon.getValueAsDouble();
    role_.features = shape[d];
    role_.feature = 1;
    for (size_t i = d + 1; i < shape.size(); ++i) role_.feature *= shape[i];
  }

  // The minimum of many unsigned numbers, and the bits that all of them have, would nearly always be zero. This keeps
  // the minimum above zero, and for `and` the highest of the bits that are drawn. A quarter of the type's range is
  // drawn.
  void KeepBits(Combine form, int width) {
    const double most = std::ldexp(1.0, width - 2);
    if (form == Combine::kMinimum) Restrict(1, most, 0);
    if (form == Combine::kAnd) Restrict(std::ceil(most / 2), most, 0);
  }

  void VisitResults(mlir::Operation* op, unsigned operand, int depth) {
    const bool known = !role_.elements.empty();
    const OpInfo* info = LookUpOp(op->getName().getStringRef());
    const bool stays = info != nullptr && info->category == "elementwise";
    moves_ += !stays;
    for (mlir::Value result : op->getResults()) VisitAs(std::nullopt, result, depth + 1);
    moves_ -= !stays;
    if (known || role_.elements.empty() || op->getName().getStringRef() != "stablehlo.concatenate") return;
    // If a shape is concatenated from parts, keeps the ranges of the elements that come from this operand.
    size_t first = 0;
    for (unsigned i = 0; i < operand; ++i) first += static_cast<size_t>(SizeOf(op->getOperand(i)));
    const size_t end = first + static_cast<size_t>(SizeOf(op->getOperand(operand)));
    const std::vector<ElementRange> all = std::move(role_.elements);
    role_.elements.clear();
    for (size_t i = first; i < end && i < all.size(); ++i) role_.elements.push_back(all[i]);
  }

  static int64_t SizeOf(mlir::Value value) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && type.hasStaticShape() ? type.getNumElements() : 0;
  }

  void VisitCallee(mlir::Operation* op, llvm::StringRef attribute, unsigned operand, int depth) {
    mlir::Attribute callee = op->getAttr(attribute);
    if (const auto several = llvm::dyn_cast_or_null<mlir::ArrayAttr>(callee); several && !several.empty()) {
      callee = several[0];
    }
    const auto symbol = llvm::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(callee);
    mlir::Operation* function = symbol ? mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol.getAttr()) : nullptr;
    if (function && function->getNumRegions() == 1 && !function->getRegion(0).empty() &&
        operand < function->getRegion(0).getNumArguments()) {
      TakeDeclaredInput(function, operand);
      Visit(function->getRegion(0).getArgument(operand), depth + 1);
    }
  }

  void TakeDeclaredInput(mlir::Operation* function, unsigned operand) {
    auto callable = llvm::dyn_cast<mlir::FunctionOpInterface>(function);
    if (callable) Take(DeclaredInputOf(callable.getArgAttr(operand, kInputAttribute)));
  }

  void Take(const std::optional<DeclaredInput>& declared) {
    if (!declared) return;
    if (declared->matrix != Matrix::kNone) role_.matrix = declared->matrix;
    if (!declared->range) return;
    const auto [least, greatest] = *declared->range;
    Specify(least, greatest);
    Restrict(least, greatest, 0);
  }

  // Restricts the elements to what the target type of a conversion can hold. Conversions of other values are not
  // specified.
  void RestrictToTarget(mlir::Value result) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
    auto integer = type ? llvm::dyn_cast<mlir::IntegerType>(type.getElementType()) : mlir::IntegerType();
    if (!integer || integer.getWidth() == 1) return;
    const int bits = static_cast<int>(integer.getWidth()) - (integer.isUnsigned() ? 0 : 1);
    Specify(integer.isUnsigned() ? 0 : -std::ldexp(1.0, bits), GreatestOf(bits));
    const double most = std::min(100.0, std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1) - 1);
    Restrict(integer.isUnsigned() ? 0 : -most, most, 0);
  }

  // Returns 2^bits - 1, or the next lower double if that is not a double.
  static double GreatestOf(int bits) { return std::ldexp(1 - std::ldexp(1.0, -std::min(bits, 53)), bits); }

  static double WidthOf(mlir::Value value) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && type.getElementType().isInteger() ? type.getElementTypeBitWidth() : 64;
  }

  InputRole role_;
  int64_t size_ = 0;                      // elements of the argument
  int moves_ = 0;                         // ops between the argument and the reader that move elements
  std::optional<ElementType> narrowest_;  // of the elements so far, through conversions alone
  llvm::DenseSet<mlir::Value> seen_;
};

}  // namespace

std::optional<Matrix> MatrixNamed(std::string_view name) {
  for (const auto& [matrix, its_name] : kMatrixNames) {
    if (name == its_name) return matrix;
  }
  return std::nullopt;
}

mlir::Attribute ToAttribute(const DeclaredInput& declared, mlir::MLIRContext* context) {
  mlir::Builder builder(context);
  for (const auto& [matrix, name] : kMatrixNames) {
    if (declared.matrix == matrix) return builder.getStringAttr(name);
  }
  if (!declared.range) return builder.getUnitAttr();
  return builder.getF64ArrayAttr({declared.range->first, declared.range->second});
}

std::optional<DeclaredInput> DeclaredInputOf(mlir::Attribute attribute) {
  if (const auto name = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute)) {
    const std::optional<Matrix> matrix = MatrixNamed(name.getValue());
    return matrix ? std::optional(DeclaredInput{.matrix = *matrix}) : std::nullopt;
  }
  const auto pair = llvm::dyn_cast_or_null<mlir::ArrayAttr>(attribute);
  if (!pair || pair.size() != 2) return std::nullopt;
  const auto number = [](mlir::Attribute value) {
    if (const auto real = llvm::dyn_cast<mlir::FloatAttr>(value)) return real.getValueAsDouble();
    const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
    return integer ? integer.getValue().signedRoundToDouble() : std::numeric_limits<double>::quiet_NaN();
  };
  const double least = number(pair[0]), greatest = number(pair[1]);
  if (!(least <= greatest)) return std::nullopt;
  return DeclaredInput{.range = {{least, greatest}}};
}

InputRole RoleOfArgument(mlir::Value argument) { return Tracer().Trace(argument); }

}  // namespace opbyop::reference
