// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/raise/raise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/foreign_dialects.h"
#include "ir/op_info.h"
#include "ir/read_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "reference/eval/evaluator.h"
#include "reference/raise/raise_scalar.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RaiseTest : public testing::Test {
 protected:
  RaiseTest() : context_(mlir::MLIRContext::Threading::DISABLED) { AllowAnyDialect(context_); }

  void Read(const std::string& text) {
    auto module = ReadModuleFromBytes(text, "ir.mlir", context_, {.allow_mhlo = true});
    ASSERT_TRUE(module.has_value()) << module.error().message;
    module_ = std::move(*module);
  }

  void Raise(const std::string& text) {
    Read(text);
    const Expected<bool> raised = RaiseToStablehlo(*module_);
    ASSERT_TRUE(raised.has_value()) << raised.error().message;
    EXPECT_TRUE(*raised);
    EXPECT_TRUE(succeeded(mlir::verify(*module_)));
  }

  std::string Refusal(const std::string& text) {
    Read(text);
    const Expected<bool> raised = RaiseToStablehlo(*module_);
    return raised ? "" : raised.error().message;
  }

  std::vector<double> Evaluate(const std::vector<Tensor>& arguments) {
    Evaluator evaluator(*module_, {.bounds = true});
    const Expected<Values> results = evaluator.Call("main", Values(arguments.begin(), arguments.end()));
    EXPECT_TRUE(results.has_value()) << results.error().message;
    if (!results) return {};
    const auto data = results->front().tensor().data<double>();
    return {data.begin(), data.end()};
  }

  static Tensor F32(Shape shape, const std::vector<double>& values) {
    return Tensor::Of<double>(ElementType::kF32, std::move(shape), values);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(RaiseTest, AScalarOpIsRaisedToAnElementwiseOp) {
  context_.loadAllAvailableDialects();
  int raised = 0;
  for (const mlir::RegisteredOperationName op : context_.getRegisteredOperations()) {
    const std::string_view name = StablehloNameOf(op.getStringRef());
    if (name.empty()) continue;
    ++raised;
    const OpInfo* info = LookUpOp(llvm::StringRef(name));
    ASSERT_NE(info, nullptr) << name;
    EXPECT_TRUE(info->kind == OpKind::kElementwiseUnary || info->kind == OpKind::kElementwiseBinary ||
                info->kind == OpKind::kElementwiseTernary)
        << op.getStringRef().str() << " -> " << name;
  }
  EXPECT_GE(raised, 40);
}

TEST_F(RaiseTest, StablehloIsLeftAlone) {
  Read("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }");
  EXPECT_FALSE(*RaiseToStablehlo(*module_));
}

TEST_F(RaiseTest, AGenericMayHaveABroadcastAndATransposedResult) {
  Raise(R"(func.func @main(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<3x2xf32> {
    %e = tensor.empty() : tensor<3x2xf32>
    %two = arith.constant 2.0 : f32
    %0 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j, i)>],
        iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<2x3xf32>, tensor<3xf32>)
        outs(%e : tensor<3x2xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      %c = arith.cmpf ogt, %s, %two : f32
      %m = arith.mulf %s, %two : f32
      %r = arith.select %c, %m, %q : f32
      linalg.yield %r : f32
    } -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  })");
  EXPECT_THAT(Evaluate({F32({2, 3}, {1, 2, 3, 4, 5, 6}), F32({3}, {0, 1, -2})}), ElementsAre(0, 8, 6, 12, -2, 8));
}

TEST_F(RaiseTest, AMatmulBecomesADotGeneral) {
  Raise(R"(func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    %0 = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })");
  std::string text;
  llvm::raw_string_ostream(text) << *module_;
  EXPECT_THAT(text, HasSubstr("stablehlo.dot_general"));
  EXPECT_THAT(Evaluate({F32({2, 3}, {1, 2, 3, 4, 5, 6}), F32({3, 2}, {1, 0, 0, 1, 1, 1})}), ElementsAre(4, 5, 10, 11));
}

TEST_F(RaiseTest, AReductionKeepsItsInitialValue) {
  Raise(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%low : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x3xf32>) outs(%f : tensor<2xf32>) {
    ^bb0(%p: f32, %o: f32):
      %a = math.absf %p : f32
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })");
  EXPECT_THAT(Evaluate({F32({2, 3}, {1, -7, 3, 4, 5, 6})}), ElementsAre(7, 6));
}

TEST_F(RaiseTest, AnAccumulationOntoATensorHasNoBound) {
  EXPECT_THAT(
      Refusal(R"(func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>, %f: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })"),
      HasSubstr("linalg.matmul: it accumulates onto a tensor"));
}

TEST_F(RaiseTest, LoopCountersAndTensorsOfOtherShapesAreRaised) {
  Raise(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
    %e = tensor.empty() : tensor<2x3xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
    ^bb0(%p: f32, %o: f32):
      %k = linalg.index 1 : index
      %i = arith.index_cast %k : index to i32
      %g = arith.sitofp %i : i32 to f32
      %s = arith.addf %p, %g : f32
      linalg.yield %s : f32
    } -> tensor<2x3xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    return %1 : tensor<6xf32>
  })");
  EXPECT_THAT(Evaluate({F32({2, 3}, {0, 0, 0, 10, 10, 10})}), ElementsAre(0, 1, 2, 10, 11, 12));
}

TEST_F(RaiseTest, TheErrorNamesAConvolutionThatCannotBeRaised) {
  EXPECT_THAT(Refusal(R"(func.func @main(%x: tensor<1x8xf32>, %w: tensor<3xf32>) -> tensor<1x6xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x6xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6xf32>) -> tensor<1x6xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>,
        affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<1x8xf32>, tensor<3xf32>) outs(%f : tensor<1x6xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<1x6xf32>
    return %0 : tensor<1x6xf32>
  })"),
              HasSubstr("linalg.generic: its loops index by sums"));
}

TEST_F(RaiseTest, ADispatchComputesItsFunction) {
  Raise(R"(module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "flow.dispatch"(%x) {entry_points = [@exe::@f], operandSegmentSizes = array<i32: 0, 1, 0, 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  "flow.executable"() ({
    "builtin.module"() ({
      func.func @f(%a: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>,
                   %r: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>) {
        %0 = "iree_tensor_ext.dispatch.tensor.load"(%a) {static_offsets = array<i64: 0>}
            : (!iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>) -> tensor<4xf32>
        %e = tensor.empty() : tensor<4xf32>
        %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
            iterator_types = ["parallel"]} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
        ^bb0(%p: f32, %o: f32):
          %s = arith.negf %p : f32
          linalg.yield %s : f32
        } -> tensor<4xf32>
        "iree_tensor_ext.dispatch.tensor.store"(%1, %r) {static_offsets = array<i64: 0>}
            : (tensor<4xf32>, !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>) -> ()
        return
      }
    }) : () -> ()
  }) {sym_name = "exe"} : () -> ()
})");
  EXPECT_THAT(Evaluate({F32({4}, {1, 2, 3, 4})}), ElementsAre(-1, -2, -3, -4));
}

TEST_F(RaiseTest, ElementwiseOpsOfTenstorrentAreRaised) {
  Raise(R"(func.func @main(%x: tensor<2x2xf32>, %y: tensor<2xf32>) -> tensor<2x2xf32> {
    %0 = "ttir.subtract"(%x, %y) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })");
  EXPECT_THAT(Evaluate({F32({2, 2}, {1, 2, 3, 4}), F32({2}, {1, 2})}), ElementsAre(0, 0, 2, 2));
}

TEST_F(RaiseTest, TheErrorNamesAnUnknownOp) {
  EXPECT_THAT(Refusal(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "acme.fuse"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })"),
              HasSubstr("acme.fuse: the reference does not know"));
}

}  // namespace
}  // namespace opbyop::reference
