// stablehlo.bitcast_convert: the same bits as elements of another type.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xi8>
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xi8>
  // CHECK: stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<f64>
  %1 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xf32>) -> tensor<f64>
  return
}

//--- refused.mlir
// (C1) A last dimension of the result holds the parts of one element.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects the innermost dimension to hold one wide element, but 8 * 3 bits are not 32}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x3xi8>
  return
}

// -----

// (C1) Elements of equal width keep the shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects shapes that match but for the innermost dimension of the smaller elements, but got 'tensor<2xf32>' and 'tensor<1x2xi32>'}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<1x2xi32>
  return
}

// -----

// (C2) Complex numbers come from complex numbers.
func.func @refused(%arg0: tensor<2xf64>) {
  // expected-error @+1 {{cannot convert between real and complex types, but got 'tensor<2xf64>' and 'tensor<2xcomplex<f32>>'}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

//--- meaning.mlir
// Equal width: IEEE 754 encodings.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -0.0, 0xFF800000]> : tensor<3xf32>
  %r = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %r, dense<[1065353216, 2147483648, 4286578688]> : tensor<3xui32>
  return
}

// -----

// Narrower: the low byte comes first, which the specification leaves to the implementation.
func.func @main() {
  %x = stablehlo.constant dense<[67305985, 255]> : tensor<2xui32>
  %r = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2x4xui8>
  check.expect_eq_const %r, dense<[[1, 2, 3, 4], [255, 0, 0, 0]]> : tensor<2x4xui8>
  return
}

// -----

// Wider: the last dimension is joined.
func.func @main() {
  %x = stablehlo.constant dense<[[0, 16256], [0, 49152]]> : tensor<2x2xui16>
  %r = stablehlo.bitcast_convert %x : (tensor<2x2xui16>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[1.0, -2.0]> : tensor<2xf32>
  return
}
