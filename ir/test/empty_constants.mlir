// A constant without elements may have the value of a splat, as JAX writes it.
// RUN: opbyop-opt %s -o %t.text
// RUN: opbyop-opt --emit-bytecode %s | opbyop-opt | diff - %t.text
// RUN: FileCheck %s < %t.text

func.func @main() -> tensor<0x17xcomplex<f32>> {
  // CHECK: dense<(1.000000e+00,2.000000e+00)> : tensor<0x17xcomplex<f32>>
  %complex = stablehlo.constant dense<(1.0, 2.0)> : tensor<0x17xcomplex<f32>>
  // CHECK: dense<3> : tensor<0x17xi4>
  %narrow = stablehlo.constant dense<3> : tensor<0x17xi4>
  // CHECK: dense<true> : tensor<0x17xi1>
  %boolean = stablehlo.constant dense<true> : tensor<0x17xi1>
  // CHECK: dense<1.000000e+00> : tensor<0x17xf32>
  %real = stablehlo.constant dense<1.0> : tensor<0x17xf32>
  // CHECK: dense<> : tensor<0x17xf64>
  %none = stablehlo.constant dense<> : tensor<0x17xf64>
  return %complex : tensor<0x17xcomplex<f32>>
}
