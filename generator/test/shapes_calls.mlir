// With static shapes the dynamic calls of JAX become the ops that they stand for, also where sizes are computed in
// functions, and other calls lose the operands that name the shapes of their results.
// RUN: rm -rf %t && opbyop split %s --shape x=4x12xf32 -o %t
// RUN: cat %t/cases/*.mlir | FileCheck %s

// CHECK-NOT: dynamic_
// CHECK-DAG: stablehlo.custom_call @ApproxTopK(%arg0, %{{.*}}, %{{.*}}, %{{.*}}) {called_computations = [@callee_0], mhlo.backend_config = {recall_target = 8.000000e-01 : f32, reduction_dim = 1 : i64, top_k = 10 : i64}} : (tensor<4x12xf32>, tensor<4x12xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x10xf32>, tensor<4x10xi32>)
// CHECK-DAG: stablehlo.custom_call @vendor.resize(%arg0) : (tensor<4x12xf32>) -> tensor<4x10xf32>
// CHECK-DAG: chlo.top_k(%arg0, k = 10, is_stable = false) : tensor<4x12xf32> -> (tensor<4x10xf32>, tensor<4x10xi32>)
// CHECK-DAG: stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x10xui32>)
// CHECK-DAG: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{base_dilations = array<i64: 1, 1>, padding = dense<{{\[\[}}0, 0], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}>
// CHECK-DAG: }) : (tensor<4x12xf32>, tensor<f32>) -> tensor<4x6xf32>
func.func @main(%x: tensor<?x?xf32> loc("x"), %state: tensor<2xui64>)
    -> (tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>, tensor<?x?xui32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %k = stablehlo.subtract %columns, %two : tensor<i32>
  %row = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %column = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %row, %column, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %top:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) {api_version = 2 : i32, is_stable = false}
    : (tensor<?x?xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  %whole = stablehlo.constant dense<[4, 12]> : tensor<2xi32>
  %places = stablehlo.dynamic_iota %whole, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %near:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %places, %least, %nowhere, %k, %shape, %shape)
    {called_computations = [@greater], indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>,
     mhlo.backend_config = {recall_target = 8.000000e-01 : f32, reduction_dim = 1 : i64}}
    : (tensor<?x?xf32>, tensor<?x?xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  %resized = stablehlo.custom_call @vendor.resize(%x, %shape) {indices_of_shape_operands = dense<1> : tensor<1xi64>}
    : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %bits:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape)
    {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x?xui32>)
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %window = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %half = call @half(%columns, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %none = stablehlo.subtract %half, %six : tensor<i32>
  %one = stablehlo.subtract %half, %five : tensor<i32>
  %first = stablehlo.constant dense<[[0, 0]]> : tensor<1x2xi32>
  %3 = stablehlo.reshape %none : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %last = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.reshape %last : (tensor<2xi32>) -> tensor<1x2xi32>
  %padding = stablehlo.concatenate %first, %5, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %pooled = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %strides, %ones, %ones, %padding)
    {api_version = 2 : i32, called_computations = [@sum]}
    : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %top#0, %top#1, %near#0, %bits#1, %resized, %pooled
    : tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>, tensor<?x?xui32>, tensor<?x?xf32>, tensor<?x?xf32>
}

func.func private @half(%n: tensor<i32>, %by: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.divide %n, %by : tensor<i32>
  return %0 : tensor<i32>
}

func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
