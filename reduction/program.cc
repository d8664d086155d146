// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduction/program.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "generator/program/program_text.h"
#include "generator/program/signature.h"
#include "generator/specialize/refine_types.h"
#include "ir/first_error.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "support/files/sha256.h"
#include "support/text/count_text.h"

namespace opbyop::reduction {
namespace {

using mlir::RankedTensorType;
using mlir::ShapedType;

constexpr llvm::StringLiteral kMain = "main";

int64_t ElementsOf(mlir::Type type) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 0;
}

// From the last to the first, so that ops that only they use are removed too.
void EraseUnusedOps(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (mlir::Region& region : op.getRegions()) {
      for (mlir::Block& inner : region) EraseUnusedOps(inner);
    }
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>() && op.use_empty()) op.erase();
  }
}

void EraseUnusedArguments(Program& program) {
  mlir::func::FuncOp main = program.main();
  for (int64_t i = static_cast<int64_t>(main.getNumArguments()) - 1; i >= 0; --i) {
    const auto index = static_cast<unsigned>(i);
    if (!main.getArgument(index).use_empty() || failed(main.eraseArgument(index))) continue;
    if (program.inputs) program.inputs->erase(program.inputs->begin() + i);
  }
}

void EraseUnusedFunctions(mlir::ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    std::set<llvm::StringRef> named;
    module.walk([&](mlir::Operation* op) {
      op->getAttrDictionary().walk(
          [&](mlir::SymbolRefAttr symbol) { named.insert(symbol.getRootReference().getValue()); });
    });
    for (auto function : llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>())) {
      if (function.getSymName() == kMain || named.contains(function.getSymName())) continue;
      function.erase();
      changed = true;
    }
  }
}

mlir::Type Open(RankedTensorType type, unsigned dimension) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = ShapedType::kDynamic;
  return RankedTensorType::get(shape, type.getElementType());
}

mlir::Type AllOpen(mlir::Type type) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  if (!tensor) return type;
  return RankedTensorType::get(llvm::SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic),
                               tensor.getElementType());
}

bool IsStatic(mlir::Type type) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  return !tensor || tensor.hasStaticShape();
}

// Makes the result as wide as the operand if the two were, or are to be, equal.
void InferBroadcast(stablehlo::BroadcastInDimOp op) {
  auto operand = mlir::dyn_cast<RankedTensorType>(op.getOperand().getType());
  auto result = mlir::dyn_cast<RankedTensorType>(op.getType());
  if (!operand || !result) return;
  llvm::SmallVector<int64_t> shape(result.getShape());
  for (auto [i, dimension] : llvm::enumerate(op.getBroadcastDimensions())) {
    const int64_t size = operand.getDimSize(static_cast<unsigned>(i));
    if (size != 1) shape[static_cast<size_t>(dimension)] = size;
  }
  op.getResult().setType(RankedTensorType::get(shape, result.getElementType()));
}

// One dimension absorbs the elements that the others leave.
void InferReshape(mlir::Operation* op) {
  auto result = mlir::dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result || ElementsOf(op->getOperand(0).getType()) == ElementsOf(result)) return;
  for (int64_t i = result.getRank() - 1; i >= 0; --i) {
    op->getResult(0).setType(mlir::cast<RankedTensorType>(Open(result, static_cast<unsigned>(i))));
    if (succeeded(generator::RefineResults(op)) && IsStatic(op->getResult(0).getType())) return;
  }
  op->getResult(0).setType(result);
}

void InferByRules(mlir::Operation* op) {
  const llvm::SmallVector<mlir::Type> before(op->getResultTypes());
  for (mlir::Value result : op->getResults()) result.setType(AllOpen(result.getType()));
  const bool known = succeeded(generator::RefineResults(op));
  for (auto [result, type] : llvm::zip(op->getResults(), before)) {
    if (!known || !IsStatic(result.getType())) result.setType(type);
  }
}

void InferBlock(mlir::Block& block) {
  for (mlir::Operation& op : block) {
    // A loop carries values of the types that it is given.
    const bool is_loop = op.getName().getStringRef() == "stablehlo.while";
    for (mlir::Region& region : op.getRegions()) {
      if (region.empty()) continue;
      if (is_loop && region.getNumArguments() == op.getNumOperands()) {
        for (auto [argument, operand] : llvm::zip(region.getArguments(), op.getOperands())) {
          argument.setType(operand.getType());
        }
      }
      if (is_loop || op.getNumOperands() <= 1) InferBlock(region.front());
    }
    if (IsConstant(&op) || op.getNumResults() == 0) continue;
    if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      InferBroadcast(broadcast);
    } else if (mlir::isa<stablehlo::ReshapeOp>(op)) {
      InferReshape(&op);
    } else {
      InferByRules(&op);
    }
  }
}

}  // namespace

Program Program::Clone() const { return {mlir::OwningOpRef<mlir::ModuleOp>(module.get().clone()), inputs}; }

mlir::func::FuncOp Program::main() const {
  return mlir::dyn_cast_or_null<mlir::func::FuncOp>(mlir::SymbolTable::lookupSymbolIn(module.get(), kMain));
}

std::string ProgramSize::Text() const {
  return fmt::format("{}, {}, {}", CountText(ops, "op"), CountText(elements, "element"), CountText(lines, "line"));
}

ProgramSize SizeOf(const Program& program) {
  ProgramSize size;
  for (mlir::Operation* op : OpsOf(program)) size.ops += IsComputation(op) ? 1 : 0;
  for (mlir::Type type : program.main().getArgumentTypes()) size.elements += ElementsOf(type);
  for (mlir::Type type : program.main().getResultTypes()) size.elements += ElementsOf(type);
  for (mlir::Operation& op : program.body()) {
    if (IsConstant(&op)) size.elements += ElementsOf(op.getResult(0).getType());
  }
  const std::string text = generator::ProgramText(program.module.get(), generator::Locations::kDrop);
  size.lines = std::ranges::count(text, '\n');
  return size;
}

std::string DigestOf(const Program& program, const std::string& op) {
  std::string key = op + generator::ProgramText(program.module.get(), generator::Locations::kDrop);
  if (program.inputs) {
    for (const reference::InputData& input : *program.inputs) {
      key += Sha256Hex({reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size()});
    }
  }
  return Sha256Hex(key);
}

std::vector<mlir::Operation*> OpsOf(const Program& program) {
  std::vector<mlir::Operation*> ops;
  program.module.get()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (!mlir::isa<mlir::ModuleOp, mlir::FunctionOpInterface>(op)) ops.push_back(op);
  });
  return ops;
}

bool IsConstant(mlir::Operation* op) { return op->hasTrait<mlir::OpTrait::ConstantLike>(); }

bool IsComputation(mlir::Operation* op) { return !IsConstant(op) && !op->hasTrait<mlir::OpTrait::IsTerminator>(); }

void UpdateSignature(Program& program) {
  mlir::func::FuncOp main = program.main();
  mlir::Operation* terminator = program.body().getTerminator();
  const auto type =
      mlir::FunctionType::get(main.getContext(), program.body().getArgumentTypes(), terminator->getOperandTypes());
  if (type == main.getFunctionType()) return;
  // Attributes of arguments and results are notes that a reduced program does not need.
  if (type.getNumResults() != main.getFunctionType().getNumResults()) main.removeResAttrsAttr();
  if (type.getNumInputs() != main.getFunctionType().getNumInputs()) main.removeArgAttrsAttr();
  main.setFunctionType(type);
}

bool CleanUp(Program& program) {
  const FirstError silent(*program.module.get().getContext());
  for (auto function : program.module.get().getOps<mlir::func::FuncOp>()) {
    for (mlir::Block& block : function.getBody()) EraseUnusedOps(block);
  }
  UpdateSignature(program);
  EraseUnusedArguments(program);
  EraseUnusedFunctions(program.module.get());
  return succeeded(mlir::verify(program.module.get()));
}

void InferTypes(Program& program) {
  const FirstError silent(*program.module.get().getContext());
  InferBlock(program.body());
  UpdateSignature(program);
}

Case CaseOf(const Program& program, const Case& of) {
  Case c = of;
  mlir::func::FuncOp main = program.main();
  c.inputs = generator::ToTensorTypes(main.getArgumentTypes());
  c.outputs = generator::ToTensorTypes(main.getResultTypes());
  c.no_runtime_input = c.inputs.empty();
  if (c.input_ranges.size() != c.inputs.size()) c.input_ranges.clear();
  c.elided_constants.clear();
  return c;
}

}  // namespace opbyop::reduction
