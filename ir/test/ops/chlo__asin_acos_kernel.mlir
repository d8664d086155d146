// chlo._asin_acos_kernel: the w by which asin(z) = complex(atan2(z.real, w.real), sign(z.imag) * w.imag).
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xcomplex<f32>>) {
  // CHECK: chlo._asin_acos_kernel %arg0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %0 = chlo._asin_acos_kernel %arg0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  // CHECK: chlo._asin_acos_kernel %arg0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = "chlo._asin_acos_kernel"(%arg0) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

//--- refused.mlir
// Elements of f32 are not accepted.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of complex type with f32 or f64 elements values, but got 'tensor<2xf32>'}}
  %0 = chlo._asin_acos_kernel %arg0 : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<3xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo._asin_acos_kernel %arg0 : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  return
}

//--- meaning.mlir
// w.real = sqrt(a^2 - x^2) and w.imag = log(a + sqrt(a^2 - 1)), where a is half the sum
// of the distances from 1 and -1 and x the real part.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25)]> : tensor<2xcomplex<f32>>
  %r = chlo._asin_acos_kernel %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %expected = stablehlo.constant dense<[(2.1973681, 1.5285709), (0.9117543, 0.28139606)]> : tensor<2xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}
