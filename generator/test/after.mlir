// Splits the IR that a stage of a target makes of the model: here a stage of the host target, run in its worker.
// RUN: rm -rf %t && opbyop split %s --after parse --target host -q -o %t/parse && cat %t/parse/cases/*.mlir | FileCheck %s --check-prefix=PARSE
// RUN: opbyop split %s --after stablehlo-to-linalg --target host -q -o %t/linalg && cat %t/linalg/cases/*.mlir | FileCheck %s
// RUN: cat %t/linalg/manifest.yaml | FileCheck %s --check-prefix=MANIFEST
// RUN: opbyop split %s --after linalg-to-llvm --target host -q -o %t/llvm && cat %t/llvm/cases/*.mlir | FileCheck %s --check-prefix=LLVM
// RUN: not opbyop split %s --after no-stage --target host -o %t/no 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not opbyop split %s --after llvm-to-flatbuffer --target host -o %t/no 2>&1 | FileCheck %s --check-prefix=BINARY

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// PARSE: // case: dot_general_4x8_8x2_f32
// CHECK: // case: linalg_
// CHECK: linalg.
// MANIFEST: stage: "host/stablehlo-to-linalg"
// LLVM: // case: llvm_
// STAGE: --after no-stage: target host has no such compile stage, only parse, stablehlo-to-linalg, linalg-to-llvm
// BINARY: is no MLIR, so it cannot be split
