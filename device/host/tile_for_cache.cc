// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-tile-for-cache: tiles ops whose plain loops would fetch the same memory from main memory repeatedly.
//
// Contractions have the loops batch, left, contracted, right (lowering/contraction.cc). After tiling, the loops are
// right blocks and contracted blocks outside, then batch, left, contracted and right inside: a block of the right
// operand stays in the first-level cache while it is used for every row of the left operand, or while each of its
// cache lines, which hold contracted elements, is used for all of these. A block that many rows use is first copied to
// contiguous memory, in the type in which it is multiplied. Transpositions are tiled into squares whose
// rows are cache lines on both sides. Small ops are not tiled.
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/TilingInterface.h>

#include <numeric>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace linalg = mlir::linalg;

// 128 columns of 64 rows of f32 are 32 KiB.
constexpr int64_t kRightBlock = 128;
constexpr int64_t kContractedBlock = 64;

// A block is copied if it is used for as many rows and has at most as many elements.
constexpr int64_t kMinRowsForCopy = 32;
constexpr int64_t kMostCopied = int64_t{1} << 20;

// 16 f32 are one cache line.
constexpr int64_t kTransposedBlock = 16;
constexpr int64_t kMinTransposed = 64 * 64;

// A block that divides the range leaves no shorter one at the end, so that its extent is known (block_for_registers.cc).
int64_t ContractedBlock(int64_t range) {
  for (int64_t block = kContractedBlock; block >= kContractedBlock / 4; block -= 4) {
    if (range % block == 0) return block;
  }
  return kContractedBlock;
}

class TileForCache : public mlir::PassWrapper<TileForCache, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileForCache)

  llvm::StringRef getArgument() const final { return "opbyop-tile-for-cache"; }
  llvm::StringRef getDescription() const final { return "Block large contractions and transpositions for the cache"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                    mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<linalg::GenericOp> contractions;
    llvm::SmallVector<linalg::TransposeOp> transpositions;
    getOperation().walk([&](linalg::LinalgOp op) {
      auto generic = mlir::dyn_cast<linalg::GenericOp>(op.getOperation());
      if (generic && op.getNumDpsInputs() == 2 && op.getNumReductionLoops() > 0 && op.getNumLoops() >= 3) {
        contractions.push_back(generic);
      }
      if (auto transposition = mlir::dyn_cast<linalg::TransposeOp>(op.getOperation())) {
        transpositions.push_back(transposition);
      }
    });
    for (linalg::GenericOp op : contractions) TileContraction(op);
    for (linalg::TransposeOp op : transpositions) TileTransposition(op);
  }

 private:
  void TileContraction(linalg::GenericOp op) {
    const auto ranges = op.getStaticLoopRanges();
    const auto kinds = op.getIteratorTypesArray();
    const size_t loops = ranges.size();
    // The innermost loop is the right operand's, the one outside of it the contracted one.
    const size_t right = loops - 1;
    const size_t contracted = loops - 2;
    if (kinds[right] != mlir::utils::IteratorType::parallel ||
        kinds[contracted] != mlir::utils::IteratorType::reduction) {
      return;
    }
    const mlir::AffineMap right_map = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
    if (!right_map.isProjectedPermutation() ||
        !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isProjectedPermutation()) {
      return;
    }
    if (ranges[right] * ranges[contracted] <= 2 * kRightBlock * kContractedBlock) return;
    // A right operand that is used once is read in the order of its memory, unless the innermost loop goes from one of
    // its rows to the next.
    const bool in_order =
        right_map.getResults().back() == mlir::getAffineDimExpr(static_cast<unsigned>(right), &getContext());
    if (in_order && std::accumulate(ranges.begin(), ranges.end() - 2, int64_t{1}, std::multiplies<>()) < 4) return;

    llvm::SmallVector<int64_t> sizes(loops, 0), order(loops);
    sizes[right] = ranges[right] > kRightBlock ? kRightBlock : 0;
    sizes[contracted] = ranges[contracted] > kContractedBlock ? ContractedBlock(ranges[contracted]) : 0;
    // Other contracted dimensions are walked over outside, or else each row would use a block of every position in them.
    for (size_t loop = 0; loop < contracted; ++loop) {
      if (kinds[loop] == mlir::utils::IteratorType::reduction) sizes[loop] = 1;
    }
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.end() - 1, order.end());
    mlir::Operation* block = Tile(op, sizes, order);
    if (block != nullptr && in_order) CopyRight(mlir::cast<linalg::GenericOp>(block));
  }

  // How often each element of the operand is used. 0 if that is known only at run time.
  static int64_t RowsThatUse(linalg::GenericOp op, mlir::OpOperand& operand) {
    const mlir::AffineMap map = op.getMatchingIndexingMap(&operand);
    int64_t rows = 1;
    for (const auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges())) {
      if (map.isFunctionOfDim(static_cast<unsigned>(loop))) continue;
      if (mlir::ShapedType::isDynamic(range)) return 0;
      rows *= range;
    }
    return rows;
  }

  // The rows of a block lie apart in the matrix, at some widths by a multiple of 4 KiB, so that few of them are in the
  // cache at once.
  void CopyRight(linalg::GenericOp block) {
    mlir::OpOperand& right = *block.getDpsInputOperand(1);
    const auto type = mlir::cast<mlir::RankedTensorType>(right.get().getType());
    if (!type.hasStaticShape() || type.getNumElements() > kMostCopied || RowsThatUse(block, right) < kMinRowsForCopy) {
      return;
    }
    mlir::BlockArgument element = block.getMatchingBlockArgument(&right);
    auto widening = element.hasOneUse() ? mlir::dyn_cast<mlir::arith::ExtFOp>(*element.user_begin()) : nullptr;
    const mlir::Type copied = widening ? widening.getType() : element.getType();
    mlir::IRRewriter rewriter(block);
    const mlir::Location location = block.getLoc();
    mlir::Value empty = mlir::tensor::EmptyOp::create(rewriter, location, type.getShape(), copied);
    const auto identity = rewriter.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()));
    const llvm::SmallVector<mlir::utils::IteratorType> kinds(type.getRank(), mlir::utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(rewriter, location, empty.getType(), right.get(), empty,
                                          llvm::SmallVector{identity, identity}, kinds,
                                          [&](mlir::OpBuilder& body, mlir::Location at, mlir::ValueRange elements) {
                                            mlir::Value value = elements.front();
                                            if (widening) value = mlir::arith::ExtFOp::create(body, at, copied, value);
                                            linalg::YieldOp::create(body, at, value);
                                          });
    rewriter.modifyOpInPlace(block, [&] {
      right.set(copy.getResult(0));
      element.setType(copied);
    });
    if (widening) rewriter.replaceOp(widening, element);
  }

  void TileTransposition(linalg::TransposeOp op) {
    const auto ranges = mlir::cast<linalg::LinalgOp>(op.getOperation()).getStaticLoopRanges();
    const size_t loops = ranges.size();
    // The position of the input's contiguous dimension in the result.
    const auto permutation = op.getPermutation();
    const size_t input_last = llvm::find(permutation, static_cast<int64_t>(loops) - 1) - permutation.begin();
    if (input_last == loops - 1 || ranges[input_last] * ranges[loops - 1] < kMinTransposed) return;
    llvm::SmallVector<int64_t> sizes(loops, 0), order(loops);
    sizes[input_last] = ranges[input_last] > kTransposedBlock ? kTransposedBlock : 0;
    sizes[loops - 1] = ranges[loops - 1] > kTransposedBlock ? kTransposedBlock : 0;
    std::iota(order.begin(), order.end(), 0);
    Tile(op, sizes, order);
  }

  // Returns the op in the innermost loop, or null if the op cannot be tiled.
  mlir::Operation* Tile(mlir::Operation* op, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> order) {
    mlir::IRRewriter rewriter(op);
    mlir::scf::SCFTilingOptions options;
    options.setTileSizes(mlir::getAsIndexOpFoldResult(&getContext(), sizes));
    options.setInterchange(order);
    auto tiled = mlir::scf::tileUsingSCF(rewriter, mlir::cast<mlir::TilingInterface>(op), options);
    if (mlir::failed(tiled)) return nullptr;
    rewriter.replaceOp(op, tiled->replacements);
    return tiled->tiledOps.front();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateTileForCachePass() { return std::make_unique<TileForCache>(); }

}  // namespace opbyop::host
