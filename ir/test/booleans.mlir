// Booleans of a constant: a byte per element in text of producers since 2026 (as here), a bit per element before, either
// in bytecode. All read the same.
// Made of this text by `python3 -m validation.oracle.write_bytecode ir/test`: Inputs/booleans*.mlirbc.
// RUN: opbyop-opt %s -o %t.text
// RUN: FileCheck %s < %t.text
// RUN: opbyop-opt %t.text | diff - %t.text
// RUN: opbyop-opt %S/Inputs/booleans.mlirbc | diff - %t.text
// RUN: opbyop-opt %S/Inputs/booleans.vhlo.mlirbc | diff - %t.text

module {
  func.func public @main() -> (tensor<203xi1>, tensor<12xi1>, tensor<8xi1>, tensor<300xi1>) {
    // CHECK: dense<"0x092399CD8D0C0413A1310809900C07B9DDB4C94554532CC25901"> : tensor<203xi1>
    %0 = stablehlo.constant dense<"0x0100000100000000010100000001000001000001010000010100010100000101010001010000000100000101000000000000010000000000010100000100000001000000000100010100000001010000000000010000000001000001000000000000000001000001000001010000000001010100000000000100000101010001010001010100010100000100010100010100000100000101010001000000010000000100010001000101000001000100000001010001000000010000000001010100000101000100010000"> : tensor<203xi1>
    // CHECK: dense<[true, false, true, true, false, false, false, true, true, false, true, false]> : tensor<12xi1>
    %1 = stablehlo.constant dense<[true, false, true, true, false, false, false, true, true, false, true, false]> : tensor<12xi1>
    // CHECK: dense<[true, false, true, false, false, false, false, true]> : tensor<8xi1>
    %2 = stablehlo.constant dense<"0x0100010000000001"> : tensor<8xi1>
    // CHECK: dense<true> : tensor<300xi1>
    %3 = stablehlo.constant dense<true> : tensor<300xi1>
    return %0, %1, %2, %3 : tensor<203xi1>, tensor<12xi1>, tensor<8xi1>, tensor<300xi1>
  }
}
