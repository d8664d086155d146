// opbyop-tile-contractions: blocks of a large contraction's right operand that stay in the second-level cache while
// they are used for every row of the left one.
//
// Contractions come with the loops batch, left, contracted, right (lowering/contraction.cc). Blocked, the loops are
// right blocks, contracted blocks, then batch, left, contracted, right inside. Small ones are left alone.
#include <mlir/Dialect/Affine/IR/AffineOps.h>
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

// 512 columns of 64 rows of f32 are 128 KiB.
constexpr int64_t kRightBlock = 512;
constexpr int64_t kContractedBlock = 64;

class TileContractions : public mlir::PassWrapper<TileContractions, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileContractions)

  llvm::StringRef getArgument() const final { return "opbyop-tile-contractions"; }
  llvm::StringRef getDescription() const final { return "Block large contractions for the cache"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::affine::AffineDialect, mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumDpsInputs() == 2 && op.getNumReductionLoops() > 0 && op.getNumLoops() >= 3)
        contractions.push_back(op);
    });
    for (linalg::GenericOp op : contractions) Tile(op);
  }

 private:
  void Tile(linalg::GenericOp op) {
    const auto ranges = op.getStaticLoopRanges();
    const auto kinds = op.getIteratorTypesArray();
    const size_t loops = ranges.size();
    // The innermost loop is the right operand's, the one before it the contracted one.
    const size_t right = loops - 1;
    const size_t contracted = loops - 2;
    if (kinds[right] != mlir::utils::IteratorType::parallel ||
        kinds[contracted] != mlir::utils::IteratorType::reduction) {
      return;
    }
    if (!op.getMatchingIndexingMap(op.getDpsInputOperand(1)).isProjectedPermutation() ||
        !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isProjectedPermutation()) {
      return;
    }
    if (ranges[right] * ranges[contracted] <= 2 * kRightBlock * kContractedBlock) return;
    if (std::accumulate(ranges.begin(), ranges.end() - 2, int64_t{1}, std::multiplies<>()) < 4) return;

    llvm::SmallVector<int64_t> sizes(loops, 0), order(loops);
    sizes[right] = ranges[right] > kRightBlock ? kRightBlock : 0;
    sizes[contracted] = ranges[contracted] > kContractedBlock ? kContractedBlock : 0;
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.end() - 1, order.end());
    mlir::IRRewriter rewriter(op);
    mlir::scf::SCFTilingOptions options;
    options.setTileSizes(mlir::getAsIndexOpFoldResult(&getContext(), sizes));
    options.setInterchange(order);
    auto tiled = mlir::scf::tileUsingSCF(rewriter, mlir::cast<mlir::TilingInterface>(op.getOperation()), options);
    if (mlir::failed(tiled)) return;
    rewriter.replaceOp(op, tiled->replacements);
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateTileContractionsPass() { return std::make_unique<TileContractions>(); }

}  // namespace opbyop::host
