// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/scalar.h"

#include <llvm/ADT/StringMap.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>

#include "device/host/lowering/narrow_float.h"
#include "device/host/lowering/scalar_ops.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace complex = mlir::complex;

const llvm::StringMap<ScalarEmitter>& Table() {
  static const llvm::StringMap<ScalarEmitter> table = [] {
    llvm::StringMap<ScalarEmitter> all;
    for (auto rows :
         {ArithmeticRows(), IntegerRows(), TranscendentalRows(), ConversionRows(), SpecialRows(), ComplexRows()}) {
      for (const auto& [name, emitter] : rows) all[name] = emitter;
    }
    return all;
  }();
  return table;
}

ScalarEmitter Find(mlir::Operation* op) {
  const auto found = Table().find(op->getName().getStringRef());
  if (found != Table().end()) return found->second;
  // Exporters write CHLO functions that the portable format lacks as custom calls: @mhlo.erf.
  if (auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op)) {
    llvm::StringRef target = call.getCallTargetName();
    if (!target.consume_front("mhlo.") && !target.consume_front("chlo.")) return nullptr;
    const auto chlo = Table().find(("chlo." + target).str());
    if (chlo != Table().end()) return chlo->second;
  }
  return nullptr;
}

// A constant that a region contains or captures. Returns null if it is not one number.
Value RegionConstant(mlir::ImplicitLocOpBuilder& b, mlir::DenseElementsAttr elements) {
  if (!elements || !elements.isSplat()) return {};
  Type element = SignlessElement(elements.getElementType());
  if (!element) return {};
  if (auto type = mlir::dyn_cast<mlir::ComplexType>(element)) {
    const auto value = *elements.getValues<std::complex<llvm::APFloat>>().begin();
    return complex::ConstantOp::create(b, type,
                                       b.getArrayAttr({b.getFloatAttr(type.getElementType(), value.real()),
                                                       b.getFloatAttr(type.getElementType(), value.imag())}));
  }
  if (mlir::isa<mlir::FloatType>(element)) {
    return arith::ConstantOp::create(b, b.getFloatAttr(element, elements.getSplatValue<llvm::APFloat>()));
  }
  if (IsStoredFloat(elements.getElementType())) {
    const llvm::APInt bits = elements.getSplatValue<llvm::APFloat>().bitcastToAPInt();
    return arith::ConstantOp::create(b, b.getIntegerAttr(element, bits));
  }
  return arith::ConstantOp::create(b, b.getIntegerAttr(element, elements.getSplatValue<llvm::APInt>()));
}

// Whether the row takes the bits of its operands, or converts them by itself.
bool TakesBits(mlir::Operation* op) {
  return mlir::isa<stablehlo::BitcastConvertOp>(op) || op->getName().getStringRef() == "chlo.next_after";
}

// Whether the op only reshapes a tensor of one element.
bool IsScalarIdentity(mlir::Operation& op) {
  return mlir::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::OptimizationBarrierOp>(op) &&
         op.getNumResults() == 1 && mlir::cast<mlir::ShapedType>(op.getResult(0).getType()).getNumElements() == 1;
}

}  // namespace

bool IsScalarOp(mlir::Operation* op) { return Find(op) != nullptr; }

std::vector<llvm::StringRef> ScalarOpNames() {
  std::vector<llvm::StringRef> names;
  for (const auto& entry : Table()) names.push_back(entry.getKey());
  return names;
}

Value EmitScalar(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op, ValueRange args) {
  const ScalarEmitter emitter = Find(op);
  if (!emitter || op->getNumResults() != 1 || args.size() != op->getNumOperands() || args.empty()) return {};
  Type to = ElementOf(op->getResult(0).getType());
  llvm::SmallVector<Value> wide(args.begin(), args.end());
  if (!TakesBits(op)) {
    for (auto [value, operand] : llvm::zip_equal(wide, op->getOperands())) {
      value = Widened(b, value, ElementOf(operand.getType()));
    }
  }
  Value result = emitter({b, op, ElementOf(op->getOperand(0).getType()), to}, wide);
  if (!result || result.getType() == SignlessElement(to) || !mlir::isa<mlir::FloatType>(to)) return result;
  return Narrowed(b, result, to);
}

bool IsScalarRegion(mlir::Region& region, mlir::Operation** culprit) {
  if (!region.hasOneBlock()) return false;
  for (mlir::Operation& op : region.front()) {
    if (mlir::isa<stablehlo::ReturnOp, stablehlo::ConstantOp>(op) || IsScalarOp(&op) || IsScalarIdentity(op)) continue;
    if (culprit) *culprit = &op;
    return false;
  }
  return true;
}

mlir::Operation* SoleOpOfBoth(mlir::Region& region) {
  mlir::Block& body = region.front();
  if (body.getNumArguments() != 2 || body.getOperations().size() != 2) return nullptr;
  mlir::Operation* op = &body.front();
  const bool is_of_both = op->getNumOperands() == 2 && op->getOperand(0) != op->getOperand(1) &&
                          llvm::all_of(op->getOperands(), [](Value v) { return mlir::isa<mlir::BlockArgument>(v); }) &&
                          op->getNumResults() == 1 &&
                          llvm::equal(body.getTerminator()->getOperands(), op->getResults());
  return is_of_both ? op : nullptr;
}

llvm::FailureOr<llvm::SmallVector<Value>> EmitScalarRegion(mlir::ImplicitLocOpBuilder& b, mlir::Region& region,
                                                           ValueRange args, mlir::Operation** culprit) {
  mlir::Block& block = region.front();
  mlir::IRMapping values;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), args)) values.map(argument, value);
  const auto fail = [&](mlir::Operation& op) -> llvm::FailureOr<llvm::SmallVector<Value>> {
    if (culprit) *culprit = &op;
    return mlir::failure();
  };
  for (mlir::Operation& op : block) {
    llvm::SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      if (!values.contains(operand)) {
        mlir::DenseElementsAttr elements;
        Value captured =
            mlir::matchPattern(operand, mlir::m_Constant(&elements)) ? RegionConstant(b, elements) : Value();
        if (!captured) return fail(op);
        values.map(operand, captured);
      }
      operands.push_back(values.lookup(operand));
    }
    if (mlir::isa<stablehlo::ReturnOp>(op)) return operands;
    Value result;
    if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) {
      result = RegionConstant(b, mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()));
    } else if (IsScalarIdentity(op)) {
      result = operands[0];
    } else {
      result = EmitScalar(b, &op, operands);
    }
    if (!result) return fail(op);
    values.map(op.getResult(0), result);
  }
  return mlir::failure();
}

llvm::SmallVector<Value> Promoted(mlir::ImplicitLocOpBuilder& b, ValueRange scalars, mlir::TypeRange from,
                                  mlir::TypeRange to) {
  llvm::SmallVector<Value> promoted;
  for (auto [scalar, source, target] : llvm::zip_equal(scalars, from, to)) {
    const Type source_element = ElementOf(source);
    const Type element = ElementOf(target);
    promoted.push_back(source_element == element ? scalar : EmitConvert(b, scalar, source_element, element));
  }
  return promoted;
}

Value ScalarConstant(mlir::ImplicitLocOpBuilder& b, Type element, double value) {
  Type type = SignlessElement(element);
  if (auto complex_type = mlir::dyn_cast<mlir::ComplexType>(type)) {
    Type part = complex_type.getElementType();
    return complex::ConstantOp::create(b, complex_type,
                                       b.getArrayAttr({b.getFloatAttr(part, value), b.getFloatAttr(part, 0)}));
  }
  if (mlir::isa<mlir::FloatType>(type)) return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  if (type.isIndex()) return arith::ConstantIndexOp::create(b, static_cast<int64_t>(value));
  const unsigned width = type.getIntOrFloatBitWidth();
  const llvm::APInt bits(width, static_cast<uint64_t>(static_cast<int64_t>(value)), /*isSigned=*/true,
                         /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, mlir::IntegerAttr::get(type, bits));
}

Value MultiplyAdd(mlir::ImplicitLocOpBuilder& b, Value lhs, Type lhs_element, Value rhs, Type rhs_element, Value sum) {
  Type type = sum.getType();
  Value x = EmitConvert(b, lhs, lhs_element, type);
  Value y = EmitConvert(b, rhs, rhs_element, type);
  if (mlir::isa<mlir::FloatType>(type)) return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
  if (mlir::isa<mlir::ComplexType>(type)) return complex::AddOp::create(b, sum, complex::MulOp::create(b, x, y));
  if (IsBool(type)) return arith::OrIOp::create(b, sum, arith::AndIOp::create(b, x, y));
  return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
}

}  // namespace opbyop::host
