// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/test_passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace opbyop {
namespace {

using llvm::LogicalResult;
using mlir::failure;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::success;
using mlir::Type;
using Types = llvm::SmallVector<Type>;

// Rewrites a test op, which has one operand.
class TestPattern : public mlir::RewritePattern {
 public:
  TestPattern(mlir::MLIRContext* context, llvm::StringRef name) : RewritePattern(name, 1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const final {
    if (op->getNumOperands() != 1 || !op->getOperand(0).getDefiningOp()) return failure();
    return Rewrite(op, op->getOperand(0).getDefiningOp(), rewriter);
  }

 protected:
  virtual LogicalResult Rewrite(Operation* op, Operation* tested, PatternRewriter& rewriter) const = 0;

  // Replaces the test op by one that has the inferred types as attributes.
  static LogicalResult Answer(Operation* op, const Types& types, PatternRewriter& rewriter) {
    mlir::OperationState state(op->getLoc(), "hlo_test_infer.return_types", op->getOperands(), op->getResultTypes());
    for (auto [i, type] : llvm::enumerate(types))
      state.addAttribute(("types" + llvm::Twine(i)).str(), mlir::TypeAttr::get(type));
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

struct GetReturnTypes : TestPattern {
  explicit GetReturnTypes(mlir::MLIRContext* context) : TestPattern(context, "hlo_test_infer.get_return_types") {}

  LogicalResult Rewrite(Operation* op, Operation* tested, PatternRewriter& rewriter) const override {
    auto inferring = llvm::dyn_cast<mlir::InferTypeOpInterface>(tested);
    Types types;
    if (!inferring || failed(inferring.inferReturnTypes(op->getContext(), op->getLoc(), tested->getOperands(),
                                                        tested->getRawDictionaryAttrs(), tested->getPropertiesStorage(),
                                                        tested->getRegions(), types)))
      return failure();
    return Answer(op, types, rewriter);
  }
};

struct GetReturnTypeComponents : TestPattern {
  explicit GetReturnTypeComponents(mlir::MLIRContext* context)
      : TestPattern(context, "hlo_test_infer.get_return_type_components") {}

  LogicalResult Rewrite(Operation* op, Operation* tested, PatternRewriter& rewriter) const override {
    auto inferring = llvm::dyn_cast<mlir::InferShapedTypeOpInterface>(tested);
    llvm::SmallVector<mlir::ShapedTypeComponents> components;
    if (!inferring || failed(inferring.inferReturnTypeComponents(
                          op->getContext(), op->getLoc(), tested->getOperands(), tested->getRawDictionaryAttrs(),
                          tested->getPropertiesStorage(), tested->getRegions(), components)))
      return failure();
    Types types;
    for (const mlir::ShapedTypeComponents& component : components) {
      Type element = component.getElementType() ? component.getElementType() : rewriter.getIndexType();
      if (component.hasRank())
        types.push_back(mlir::RankedTensorType::get(component.getDims(), element, component.getAttribute()));
      else
        types.push_back(mlir::UnrankedTensorType::get(element));
    }
    return Answer(op, types, rewriter);
  }
};

struct ReifyReturnTypeShapes : TestPattern {
  explicit ReifyReturnTypeShapes(mlir::MLIRContext* context)
      : TestPattern(context, "hlo_test_infer.reify_return_type_shapes") {}

  LogicalResult Rewrite(Operation* op, Operation* tested, PatternRewriter& rewriter) const override {
    auto inferring = llvm::dyn_cast<mlir::InferShapedTypeOpInterface>(tested);
    llvm::SmallVector<mlir::Value> shapes;
    if (!inferring || failed(inferring.reifyReturnTypeShapes(rewriter, tested->getOperands(), shapes)))
      return failure();
    mlir::Value shape = shapes[llvm::cast<mlir::OpResult>(op->getOperand(0)).getResultNumber()];
    if (op->getNumResults() != 1 || shape.getType() != op->getResultTypes().front()) return failure();
    rewriter.replaceOp(op, shape);
    return success();
  }
};

struct TestInfer : mlir::PassWrapper<TestInfer, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestInfer)

  llvm::StringRef getArgument() const override { return "opbyop-test-infer"; }
  llvm::StringRef getDescription() const override { return "Answer test ops that ask for inferred types and shapes"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::arith::ArithDialect, mlir::shape::ShapeDialect, mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<GetReturnTypes, GetReturnTypeComponents, ReifyReturnTypeShapes>(&getContext());
    // Folding is disabled so that the test sees the ops that compute the shapes.
    mlir::GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns), config))) signalPassFailure();
  }
};

}  // namespace

void RegisterTestPasses() { mlir::PassRegistration<TestInfer>(); }

}  // namespace opbyop
