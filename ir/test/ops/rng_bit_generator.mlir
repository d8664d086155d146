// stablehlo.rng_bit_generator: random bits derived from a state, and the next state.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xui64>) {
  // CHECK: stablehlo.rng_bit_generator %arg0, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // CHECK: stablehlo.rng_bit_generator %arg0, algorithm =  PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %1:2 = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

//--- refused.mlir
// (C2) THREE_FRY has a state of two numbers.
func.func @refused(%arg0: tensor<3xui64>) {
  // expected-error @+1 {{expects an initial state of 2 elements for THREE_FRY, but got 3}}
  %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return
}

// -----

// (C1) The next state is of the type of the first.
func.func @refused(%arg0: tensor<2xui64>) {
  // expected-error @+1 {{has result type 'tensor<3xui64>', but its operands imply 'tensor<2xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return
}

//--- meaning.mlir
// Bits may differ between implementations. The reference's are those of XLA: Threefry 2x32.
func.func @main() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %r = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  check.expect_eq_const %r, dense<[43444564, 2150618427, 3979645651, 3745730563]> : tensor<4xui32>
  check.expect_eq_const %next, dense<[1, 4]> : tensor<2xui64>
  return
}

// -----

// 64-bit elements take two words each.
func.func @main() {
  %state = stablehlo.constant dense<[18446744073709551615, 3]> : tensor<2xui64>
  %next, %r = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui64>)
  check.expect_eq_const %r, dense<[11360711067955521176, 14933004539352916247, 15202374316520565538]> : tensor<3xui64>
  check.expect_eq_const %next, dense<[18446744073709551615, 6]> : tensor<2xui64>
  return
}

// -----

// The same state gives the same bits, whatever the algorithm.
func.func @main() {
  %state = stablehlo.constant dense<[5, 6]> : tensor<2xui64>
  %s, %a = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  %t, %b = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq %a, %b : tensor<5xui8>
  check.expect_eq %s, %t : tensor<2xui64>
  return
}
