// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/raise/raise_scalar.h"

#include <algorithm>
#include <array>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace opbyop::reference {
namespace {

struct Named {
  std::string_view foreign;
  std::string_view stablehlo;
};

// Sorted by name. Signless integers are signed in StableHLO, so unsigned division, comparison and conversion have no
// counterpart.
constexpr std::array kNames = {
    Named{"arith.addf", "stablehlo.add"},
    Named{"arith.addi", "stablehlo.add"},
    Named{"arith.andi", "stablehlo.and"},
    Named{"arith.divf", "stablehlo.divide"},
    Named{"arith.divsi", "stablehlo.divide"},
    Named{"arith.extf", "stablehlo.convert"},
    Named{"arith.extsi", "stablehlo.convert"},
    Named{"arith.fptosi", "stablehlo.convert"},
    Named{"arith.index_cast", "stablehlo.convert"},
    Named{"arith.maximumf", "stablehlo.maximum"},
    Named{"arith.maxsi", "stablehlo.maximum"},
    Named{"arith.minimumf", "stablehlo.minimum"},
    Named{"arith.minsi", "stablehlo.minimum"},
    Named{"arith.mulf", "stablehlo.multiply"},
    Named{"arith.muli", "stablehlo.multiply"},
    Named{"arith.negf", "stablehlo.negate"},
    Named{"arith.ori", "stablehlo.or"},
    Named{"arith.remf", "stablehlo.remainder"},
    Named{"arith.remsi", "stablehlo.remainder"},
    Named{"arith.select", "stablehlo.select"},
    Named{"arith.sitofp", "stablehlo.convert"},
    Named{"arith.subf", "stablehlo.subtract"},
    Named{"arith.subi", "stablehlo.subtract"},
    Named{"arith.truncf", "stablehlo.convert"},
    Named{"arith.trunci", "stablehlo.convert"},
    Named{"arith.xori", "stablehlo.xor"},
    Named{"math.absf", "stablehlo.abs"},
    Named{"math.absi", "stablehlo.abs"},
    Named{"math.atan2", "stablehlo.atan2"},
    Named{"math.cbrt", "stablehlo.cbrt"},
    Named{"math.ceil", "stablehlo.ceil"},
    Named{"math.cos", "stablehlo.cosine"},
    Named{"math.erf", "chlo.erf"},
    Named{"math.exp", "stablehlo.exponential"},
    Named{"math.expm1", "stablehlo.exponential_minus_one"},
    Named{"math.floor", "stablehlo.floor"},
    Named{"math.log", "stablehlo.log"},
    Named{"math.log1p", "stablehlo.log_plus_one"},
    Named{"math.powf", "stablehlo.power"},
    Named{"math.round", "stablehlo.round_nearest_afz"},
    Named{"math.roundeven", "stablehlo.round_nearest_even"},
    Named{"math.rsqrt", "stablehlo.rsqrt"},
    Named{"math.sin", "stablehlo.sine"},
    Named{"math.sqrt", "stablehlo.sqrt"},
    Named{"math.tan", "stablehlo.tan"},
    Named{"math.tanh", "stablehlo.tanh"},
    Named{"ttir.abs", "stablehlo.abs"},
    Named{"ttir.add", "stablehlo.add"},
    Named{"ttir.ceil", "stablehlo.ceil"},
    Named{"ttir.cos", "stablehlo.cosine"},
    Named{"ttir.div", "stablehlo.divide"},
    Named{"ttir.exp", "stablehlo.exponential"},
    Named{"ttir.floor", "stablehlo.floor"},
    Named{"ttir.log", "stablehlo.log"},
    Named{"ttir.maximum", "stablehlo.maximum"},
    Named{"ttir.minimum", "stablehlo.minimum"},
    Named{"ttir.multiply", "stablehlo.multiply"},
    Named{"ttir.neg", "stablehlo.negate"},
    Named{"ttir.rsqrt", "stablehlo.rsqrt"},
    Named{"ttir.sign", "stablehlo.sign"},
    Named{"ttir.sin", "stablehlo.sine"},
    Named{"ttir.sqrt", "stablehlo.sqrt"},
    Named{"ttir.subtract", "stablehlo.subtract"},
    Named{"ttir.tanh", "stablehlo.tanh"},
    Named{"ttnn.abs", "stablehlo.abs"},
    Named{"ttnn.add", "stablehlo.add"},
    Named{"ttnn.ceil", "stablehlo.ceil"},
    Named{"ttnn.cos", "stablehlo.cosine"},
    Named{"ttnn.divide", "stablehlo.divide"},
    Named{"ttnn.exp", "stablehlo.exponential"},
    Named{"ttnn.floor", "stablehlo.floor"},
    Named{"ttnn.log", "stablehlo.log"},
    Named{"ttnn.maximum", "stablehlo.maximum"},
    Named{"ttnn.minimum", "stablehlo.minimum"},
    Named{"ttnn.multiply", "stablehlo.multiply"},
    Named{"ttnn.neg", "stablehlo.negate"},
    Named{"ttnn.rsqrt", "stablehlo.rsqrt"},
    Named{"ttnn.sign", "stablehlo.sign"},
    Named{"ttnn.sin", "stablehlo.sine"},
    Named{"ttnn.sqrt", "stablehlo.sqrt"},
    Named{"ttnn.subtract", "stablehlo.subtract"},
    Named{"ttnn.tanh", "stablehlo.tanh"},
};
static_assert(std::ranges::is_sorted(kNames, {}, &Named::foreign));

// Returns the comparison direction in StableHLO, or nullopt if it has no such comparison.
std::optional<stablehlo::ComparisonDirection> DirectionOf(mlir::arith::CmpFPredicate predicate) {
  using P = mlir::arith::CmpFPredicate;
  using D = stablehlo::ComparisonDirection;
  switch (predicate) {
    case P::OEQ:
      return D::EQ;
    case P::UNE:
      return D::NE;
    case P::OLT:
      return D::LT;
    case P::OLE:
      return D::LE;
    case P::OGT:
      return D::GT;
    case P::OGE:
      return D::GE;
    default:
      return std::nullopt;
  }
}

std::optional<stablehlo::ComparisonDirection> DirectionOf(mlir::arith::CmpIPredicate predicate) {
  using P = mlir::arith::CmpIPredicate;
  using D = stablehlo::ComparisonDirection;
  switch (predicate) {
    case P::eq:
      return D::EQ;
    case P::ne:
      return D::NE;
    case P::slt:
      return D::LT;
    case P::sle:
      return D::LE;
    case P::sgt:
      return D::GT;
    case P::sge:
      return D::GE;
    default:
      return std::nullopt;
  }
}

bool IsBoolean(mlir::Value value) { return value.getType().isInteger(1); }

// One bit is a truth value in StableHLO and a two's complement number in arith. These ops give the same result for
// both.
bool MayBeBoolean(mlir::Operation* op) {
  if (auto cmp = mlir::dyn_cast<mlir::arith::CmpIOp>(op)) {
    return cmp.getPredicate() == mlir::arith::CmpIPredicate::eq || cmp.getPredicate() == mlir::arith::CmpIPredicate::ne;
  }
  return mlir::isa<mlir::arith::AndIOp, mlir::arith::OrIOp, mlir::arith::XOrIOp, mlir::arith::SelectOp>(op);
}

}  // namespace

std::string_view StablehloNameOf(llvm::StringRef op) {
  const std::string_view name(op.data(), op.size());
  const auto found = std::ranges::lower_bound(kNames, name, {}, &Named::foreign);
  return found != kNames.end() && found->foreign == name ? found->stablehlo : std::string_view();
}

mlir::Type ElementFor(mlir::Type scalar) {
  return scalar.isIndex() ? mlir::IntegerType::get(scalar.getContext(), 64) : scalar;
}

mlir::Value MakeStablehlo(mlir::OpBuilder& builder, mlir::Location loc, llvm::StringRef name, mlir::Type type,
                          mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::OperationState state(loc, name, operands, mlir::TypeRange(type), attributes);
  return builder.create(state)->getResult(0);
}

mlir::Value SplatConstant(mlir::OpBuilder& builder, mlir::Location loc, mlir::Attribute value,
                          llvm::ArrayRef<int64_t> shape) {
  auto typed = mlir::dyn_cast<mlir::TypedAttr>(value);
  if (!typed || !typed.getType().isIntOrIndexOrFloat()) return {};
  if (typed.getType().isIndex()) {
    value = builder.getI64IntegerAttr(mlir::cast<mlir::IntegerAttr>(value).getInt());
  }
  auto type = mlir::RankedTensorType::get(shape, ElementFor(typed.getType()));
  const mlir::NamedAttribute elements = builder.getNamedAttr("value", mlir::DenseElementsAttr::get(type, value));
  return MakeStablehlo(builder, loc, "stablehlo.constant", type, {}, {elements});
}

mlir::Value RaiseScalarOp(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands,
                          llvm::ArrayRef<int64_t> shape) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0) return {};
  const mlir::Location loc = op->getLoc();
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    return SplatConstant(builder, loc, constant.getValue(), shape);
  }
  if (!op->getResult(0).getType().isIntOrIndexOrFloat()) return {};
  const llvm::StringRef name = op->getName().getStringRef();
  auto type = mlir::RankedTensorType::get(shape, ElementFor(op->getResult(0).getType()));
  if ((name == "arith.extui" || name == "arith.uitofp") && IsBoolean(op->getOperand(0))) {
    return MakeStablehlo(builder, loc, "stablehlo.convert", type, operands);
  }
  const bool is_compare = mlir::isa<mlir::arith::CmpFOp, mlir::arith::CmpIOp>(op);
  const bool boolean = llvm::any_of(op->getOperands(), IsBoolean) || (!is_compare && IsBoolean(op->getResult(0)));
  if (boolean && !MayBeBoolean(op)) return {};
  const auto compare = [&](std::optional<stablehlo::ComparisonDirection> direction) -> mlir::Value {
    if (!direction) return {};
    auto attribute = stablehlo::ComparisonDirectionAttr::get(builder.getContext(), *direction);
    return MakeStablehlo(builder, loc, "stablehlo.compare", type, operands,
                         {builder.getNamedAttr("comparison_direction", attribute)});
  };
  if (auto cmp = mlir::dyn_cast<mlir::arith::CmpFOp>(op)) return compare(DirectionOf(cmp.getPredicate()));
  if (auto cmp = mlir::dyn_cast<mlir::arith::CmpIOp>(op)) return compare(DirectionOf(cmp.getPredicate()));
  const std::string_view known = StablehloNameOf(name);
  if (known.empty()) return {};
  return MakeStablehlo(builder, loc, llvm::StringRef(known), type, operands);
}

}  // namespace opbyop::reference
