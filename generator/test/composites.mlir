// A composite is one op with its decomposition, whose ops are cases too; on request they are not, or replace it.
// RUN: rm -rf %t && opbyop split %s -q -o %t/inside && cat %t/inside/manifest.yaml | FileCheck %s --check-prefix=INSIDE
// RUN: opbyop split %s --composites=whole -q -o %t/whole && cat %t/whole/cases/*.mlir | FileCheck %s --check-prefix=WHOLE
// RUN: opbyop split %s --composites=inline -q -o %t/inline && cat %t/inline/cases/*.mlir | FileCheck %s
// RUN: cat %t/inline/manifest.yaml | FileCheck %s --check-prefix=COUNT

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "net.act" %x {decomposition = @act} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "net.act" %0 {decomposition = @act} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @act(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "net.inner" %x {decomposition = @inner} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @leaf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @leaf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// WHOLE: // case: composite_net_act_4_f32
// WHOLE: stablehlo.composite "net.act" %arg0 {decomposition = @callee_0}
// WHOLE: func.func private @callee_0
// WHOLE-NEXT: stablehlo.composite "net.inner" %arg0 {decomposition = @callee_1}
// WHOLE: call @callee_2
// WHOLE: func.func private @callee_2
// WHOLE-NOT: // case:

// CHECK: // case: tanh_4_f32
// CHECK-NOT: // case:

// INSIDE: ops: 6
// INSIDE: "target":"net.act"
// INSIDE-SAME: "count":2
// INSIDE: "target":"net.inner"
// INSIDE-SAME: "count":2
// INSIDE-SAME: "regions":["composite.net.act"]
// INSIDE: "op":"stablehlo.tanh"
// INSIDE-SAME: "count":2
// INSIDE-SAME: "regions":["composite.net.act","composite.net.inner"]

// COUNT: ops: 2
// COUNT: "op":"stablehlo.tanh"
// COUNT-SAME: "count":2
