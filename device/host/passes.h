// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the host target that MLIR does not have. manifests/targets/host.yaml names them in its pipelines.
//
//   opbyop-inline-calls           replaces calls and composites by the bodies that they name
//   opbyop-flatten-values         replaces tuples, tokens and futures by the tensors that they consist of
//   opbyop-decompose              rewrites sdy ops, CHLO ops that do not work by element, long cumulative reductions,
//                                 and case as other StableHLO
//   opbyop-lower-collectives      rewrites collectives between several processes as exchanges of tensors
//   opbyop-lower-quantization     replaces quantized elements by their stored integers and computes on real numbers
//   opbyop-stablehlo-to-linalg    lowers StableHLO and CHLO on tensors to linalg, scf, tensor and arith
//   opbyop-empty-signature        turns tensors without elements in the signature of @main into tensor<0x...>
//   opbyop-fuse-elementwise       fuses elementwise ops into one loop nest if nothing is computed twice
//   opbyop-tile-for-cache         tiles large contractions and transpositions into blocks that fit the cache
//   opbyop-copy-carried-values    has loops read copies of what they carry, where bufferization needs them
//   opbyop-distinct-results       gives each of two results that are the same buffer a buffer of its own
//   opbyop-estimate-work          counts the loop iterations of @main, as far as known, in an attribute
//   opbyop-hoist-allocations      moves buffers that a loop allocates in every iteration in front of it
//   opbyop-block-for-registers    lowers large contractions on buffers to loops over small blocks
//   opbyop-copies-to-loops        turns copies between strided buffers into linalg ops; keeps contiguous ones
//   opbyop-math-to-intrinsics     lowers math ops that libm has no function for to LLVM's intrinsics
//   opbyop-move-bits              moves floats of 16 bits as integers, in the LLVM dialect
//   opbyop-entry-point            wraps the lowered @main in `void entry(void** buffers)`; marks @main as not
//                                 worth optimizing if it has fewer than `optimize-from` iterations
//
// A pass that meets an op that it knows it cannot lower reports it as device/pipeline/refusal.h describes.
#ifndef OPBYOP_DEVICE_HOST_PASSES_H_
#define OPBYOP_DEVICE_HOST_PASSES_H_

#include <mlir/Pass/Pass.h>

#include <memory>

namespace opbyop::host {

inline constexpr llvm::StringLiteral kEntryName = "opbyop_entry";
inline constexpr llvm::StringLiteral kWorkAttribute = "opbyop.work";

// The attribute of a module that several processes run at once: replicas and partitions.
inline constexpr llvm::StringLiteral kGridAttribute = "opbyop.grid";

std::unique_ptr<mlir::Pass> CreateInlineCallsPass();
std::unique_ptr<mlir::Pass> CreateFlattenValuesPass();
std::unique_ptr<mlir::Pass> CreateDecomposePass();
std::unique_ptr<mlir::Pass> CreateLowerCollectivesPass();
std::unique_ptr<mlir::Pass> CreateLowerQuantizationPass();
std::unique_ptr<mlir::Pass> CreateStablehloToLinalgPass();
std::unique_ptr<mlir::Pass> CreateEmptySignaturePass();
std::unique_ptr<mlir::Pass> CreateFuseElementwisePass();
std::unique_ptr<mlir::Pass> CreateTileForCachePass();
std::unique_ptr<mlir::Pass> CreateCopyCarriedValuesPass();
std::unique_ptr<mlir::Pass> CreateDistinctResultsPass();
std::unique_ptr<mlir::Pass> CreateEstimateWorkPass();
std::unique_ptr<mlir::Pass> CreateHoistAllocationsPass();
std::unique_ptr<mlir::Pass> CreateBlockForRegistersPass();
std::unique_ptr<mlir::Pass> CreateCopiesToLoopsPass();
std::unique_ptr<mlir::Pass> CreateMathToIntrinsicsPass();
std::unique_ptr<mlir::Pass> CreateMoveBitsPass();
std::unique_ptr<mlir::Pass> CreateEntryPointPass();

// Registers all of these passes for pass pipelines. Idempotent.
void RegisterPasses();

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_PASSES_H_
