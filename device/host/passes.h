// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes of the host target that MLIR does not have. manifests/targets/host.yaml names them in its pipelines.
//
//   opbyop-inline-calls           calls and composites become the bodies they name
//   opbyop-flatten-values         tuples, tokens and futures become the tensors they are made of
//   opbyop-decompose              CHLO ops of more than single elements, and sdy's, become StableHLO
//   opbyop-lower-quantization     quantized elements become what is stored; ops compute on what it expresses
//   opbyop-stablehlo-to-linalg    StableHLO and CHLO on tensors become linalg, scf, tensor and arith
//   opbyop-empty-signature        tensors without elements in the signature of @main become tensor<0x...>
//   opbyop-fuse-elementwise       elementwise ops in one loop nest where nothing is computed twice
//   opbyop-tile-for-cache         large contractions and transpositions in blocks that stay in the cache
//   opbyop-estimate-work          loop iterations of @main, as far as they are known, as an attribute
//   opbyop-hoist-allocations      buffers that a loop allocates in every trip are allocated once before it
//   opbyop-copies-to-loops        copies between strided buffers become linalg ops; contiguous ones stay
//   opbyop-math-to-intrinsics     math ops that libm has no function for become LLVM's intrinsics
//   opbyop-entry-point            `void entry(void** buffers)` around the lowered @main; below `optimize-from`
//                                 iterations @main is marked not worth optimizing
//
// An op that a pass knows it cannot lower ends it as device/pipeline/refusal.h says.
#ifndef OPBYOP_DEVICE_HOST_PASSES_H_
#define OPBYOP_DEVICE_HOST_PASSES_H_

#include <mlir/Pass/Pass.h>

#include <memory>

namespace opbyop::host {

inline constexpr llvm::StringLiteral kEntryName = "opbyop_entry";
inline constexpr llvm::StringLiteral kWorkAttribute = "opbyop.work";

std::unique_ptr<mlir::Pass> CreateInlineCallsPass();
std::unique_ptr<mlir::Pass> CreateFlattenValuesPass();
std::unique_ptr<mlir::Pass> CreateDecomposePass();
std::unique_ptr<mlir::Pass> CreateLowerQuantizationPass();
std::unique_ptr<mlir::Pass> CreateStablehloToLinalgPass();
std::unique_ptr<mlir::Pass> CreateEmptySignaturePass();
std::unique_ptr<mlir::Pass> CreateFuseElementwisePass();
std::unique_ptr<mlir::Pass> CreateTileForCachePass();
std::unique_ptr<mlir::Pass> CreateEstimateWorkPass();
std::unique_ptr<mlir::Pass> CreateHoistAllocationsPass();
std::unique_ptr<mlir::Pass> CreateCopiesToLoopsPass();
std::unique_ptr<mlir::Pass> CreateMathToIntrinsicsPass();
std::unique_ptr<mlir::Pass> CreateEntryPointPass();

// Makes all of them known to pass pipelines. Idempotent.
void RegisterPasses();

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_PASSES_H_
