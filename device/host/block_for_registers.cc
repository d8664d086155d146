// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-block-for-registers: lowers large contractions on buffers to loops whose body computes a small block at once.
//
// The innermost loop runs over contiguous elements of the right operand and of the result, as in the plain loops
// (lowering/contraction.cc), but each of its iterations takes several rows of the left operand and several steps of the
// sum: 4 x 4 products for 4 + 4 loads and 4 stores, where the plain loops need two loads and a store for each product.
// LLVM then turns the innermost loop into vectors. Each element is summed in the same order as by the plain loops, so
// the results are the same bits.
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/IRMapping.h>

#include <optional>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace linalg = mlir::linalg;
using mlir::Value;

constexpr int64_t kRows = 4;
constexpr int64_t kSteps = 4;
// Fewer products, unless a loop repeats them, take less time than compiling the larger body.
constexpr int64_t kMinProducts = int64_t{1} << 20;
constexpr int64_t kMinColumns = 16;

// The positions of the loops of a contraction that make a block.
struct BlockLoops {
  unsigned row;     // of the left operand and the result
  unsigned step;    // of the sum
  unsigned column;  // of the right operand and the result, contiguous in both
  int64_t rows;     // of a block
  int64_t steps;
};

bool Uses(linalg::GenericOp op, mlir::OpOperand& operand, unsigned loop) {
  return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
}

// Whether the operand's elements of successive iterations of this loop are successive in memory.
bool IsContiguous(linalg::GenericOp op, mlir::OpOperand& operand, unsigned loop) {
  const mlir::AffineMap map = op.getMatchingIndexingMap(&operand);
  return map.getNumResults() > 0 && map.getResults().back() == mlir::getAffineDimExpr(loop, op.getContext());
}

int64_t FactorOf(int64_t range, int64_t most) {
  if (mlir::ShapedType::isDynamic(range)) return 1;
  int64_t factor = most;
  while (range % factor != 0) factor /= 2;
  return factor;
}

// nullopt for other ops, for small ones, and if no block fits the ranges.
std::optional<BlockLoops> FindBlock(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1) return std::nullopt;
  const auto ranges = op.getStaticLoopRanges();
  const auto kinds = op.getIteratorTypesArray();
  mlir::OpOperand& left = *op.getDpsInputOperand(0);
  mlir::OpOperand& right = *op.getDpsInputOperand(1);
  mlir::OpOperand& result = *op.getDpsInitOperand(0);
  if (op.getNumReductionLoops() == 0 || kinds.back() != mlir::utils::IteratorType::parallel) return std::nullopt;
  BlockLoops block{.column = op.getNumLoops() - 1};
  if (Uses(op, left, block.column) || !IsContiguous(op, right, block.column)) return std::nullopt;

  std::optional<unsigned> row, step;
  int64_t products = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!mlir::ShapedType::isDynamic(ranges[loop])) products *= ranges[loop];
    if (kinds[loop] == mlir::utils::IteratorType::reduction) step = loop;
    const bool is_row =
        loop != block.column && Uses(op, left, loop) && Uses(op, result, loop) && !Uses(op, right, loop);
    if (is_row) row = loop;
  }
  if (!row || !step || *step > block.column) return std::nullopt;
  const int64_t columns = ranges[block.column];
  if (products < kMinProducts && !mlir::isa<mlir::scf::ForOp>(op->getParentOp())) return std::nullopt;
  if (!mlir::ShapedType::isDynamic(columns) && columns < kMinColumns) return std::nullopt;
  block.row = *row;
  block.step = *step;
  block.rows = FactorOf(ranges[block.row], kRows);
  block.steps = FactorOf(ranges[block.step], kSteps);
  if (block.rows * block.steps == 1) return std::nullopt;
  return block;
}

class Blocker {
 public:
  Blocker(linalg::GenericOp op, const BlockLoops& block)
      : op_(op), block_(block), builder_(op), location_(op.getLoc()), at_(op.getNumLoops()) {}

  void Lower() {
    const auto ranges = mlir::cast<linalg::LinalgOp>(op_.getOperation()).createLoopRanges(builder_, location_);
    for (unsigned loop = 0; loop < at_.size(); ++loop) {
      if (loop != block_.column) Open(loop, ranges[loop]);
    }
    const auto left = Loads(*op_.getDpsInputOperand(0), block_.rows, block_.steps);
    Open(block_.column, ranges[block_.column]);
    const auto right = Loads(*op_.getDpsInputOperand(1), 1, block_.steps);
    auto sums = Loads(*op_.getDpsInitOperand(0), block_.rows, 1);
    for (int64_t row = 0; row < block_.rows; ++row) {
      for (int64_t step = 0; step < block_.steps; ++step) {
        sums[row] = Combined(left[row * block_.steps + step], right[step], sums[row]);
      }
    }
    mlir::OpOperand& result = *op_.getDpsInitOperand(0);
    for (int64_t row = 0; row < block_.rows; ++row) {
      mlir::memref::StoreOp::create(builder_, location_, sums[row], result.get(), Indices(result, row, 0));
    }
    op_.erase();
  }

 private:
  // Goes on inside a loop over this range.
  void Open(unsigned loop, const mlir::Range& range) {
    const int64_t step = loop == block_.row ? block_.rows : loop == block_.step ? block_.steps : 1;
    const auto value = [&](mlir::OpFoldResult bound) {
      return mlir::getValueOrCreateConstantIndexOp(builder_, location_, bound);
    };
    auto opened = mlir::scf::ForOp::create(builder_, location_, value(range.offset), value(range.size),
                                           value(builder_.getIndexAttr(step)));
    at_[loop] = opened.getInductionVar();
    builder_.setInsertionPointToStart(opened.getBody());
  }

  // The indices of the operand's element at this row and step of the block.
  llvm::SmallVector<Value> Indices(mlir::OpOperand& operand, int64_t row, int64_t step) {
    llvm::SmallVector<mlir::OpFoldResult> at(at_.size());
    for (unsigned loop = 0; loop < at_.size(); ++loop) {
      // The loop of columns is not open yet where the left operand, which does not depend on it, is loaded.
      at[loop] = at_[loop] ? mlir::OpFoldResult(at_[loop]) : mlir::OpFoldResult(builder_.getIndexAttr(0));
    }
    const auto moved = [&](unsigned loop, int64_t by) {
      const mlir::AffineExpr sum = builder_.getAffineDimExpr(0) + by;
      at[loop] = mlir::affine::makeComposedFoldedAffineApply(builder_, location_, sum, {at_[loop]});
    };
    moved(block_.row, row);
    moved(block_.step, step);
    llvm::SmallVector<Value> indices;
    for (mlir::AffineExpr expression : op_.getMatchingIndexingMap(&operand).getResults()) {
      const auto map = mlir::AffineMap::get(static_cast<unsigned>(at.size()), 0, expression);
      indices.push_back(mlir::getValueOrCreateConstantIndexOp(
          builder_, location_, mlir::affine::makeComposedFoldedAffineApply(builder_, location_, map, at)));
    }
    return indices;
  }

  llvm::SmallVector<Value> Loads(mlir::OpOperand& operand, int64_t rows, int64_t steps) {
    llvm::SmallVector<Value> loads;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t step = 0; step < steps; ++step) {
        loads.push_back(mlir::memref::LoadOp::create(builder_, location_, operand.get(), Indices(operand, row, step)));
      }
    }
    return loads;
  }

  Value Combined(Value left, Value right, Value sum) {
    mlir::Block& body = *op_.getBody();
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), llvm::SmallVector<Value>{left, right, sum});
    for (mlir::Operation& each : body.without_terminator()) builder_.clone(each, mapping);
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  }

  linalg::GenericOp op_;
  BlockLoops block_;
  mlir::OpBuilder builder_;
  mlir::Location location_;
  llvm::SmallVector<Value> at_;  // the induction variables of the open loops
};

class BlockForRegisters : public mlir::PassWrapper<BlockForRegisters, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlockForRegisters)

  llvm::StringRef getArgument() const final { return "opbyop-block-for-registers"; }
  llvm::StringRef getDescription() const final { return "Lower large contractions to loops over small blocks"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::affine::AffineDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      if (const auto block = FindBlock(op)) Blocker(op, *block).Lower();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateBlockForRegistersPass() { return std::make_unique<BlockForRegisters>(); }

}  // namespace opbyop::host
