// Every construct that splitting treats in its own way, once. The manifest that it gives is constructs.golden.yaml.
module @constructs attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<4x8xf32> {jax.arg_info = "x"}, %w: tensor<8x2xf32>, %p: tensor<i1>,
                         %n: tensor<i32>) -> (tensor<4x2xf32> {jax.result_info = "y"}) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(unknown)
    %one = stablehlo.constant dense<1> : tensor<i32>
    // a chain of constants in front of an op
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x8xf32> loc("jit(f)/Net/jit(relu)/max")
    %0 = stablehlo.maximum %x, %zeros : tensor<4x8xf32> loc("jit(f)/Net/jit(relu)/max"("net.py":3:9))
    // one value twice, two values
    %1 = stablehlo.add %0, %0 : tensor<4x8xf32> loc("jit(f)/Net/block/0/add"("net.py":4:9))
    %2 = stablehlo.add %1, %0 : tensor<4x8xf32> loc("jit(f)/Net/block/1/add"("net.py":4:9))
    // the same op, told apart by nothing but a sharding
    %3 = stablehlo.add %2, %x {mhlo.sharding = "{replicated}"} : tensor<4x8xf32> loc("jit(f)/Net/block/1/add"("net.py":5:9))
    // calls: three call sites, two of them in a function
    %4 = call @twice(%3) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("jit(f)/Net/head/jit(twice)"("net.py":6:9))
    %5 = call @once(%4) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("jit(f)/Net/head/jit(once)"("net.py":7:9))
    // regions: a short reducer, captured values two levels deep
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = "stablehlo.if"(%p) ({
      %a = "stablehlo.if"(%p) ({
        %b = stablehlo.subtract %5, %zeros : tensor<4x8xf32>
        stablehlo.return %b : tensor<4x8xf32>
      }, {
        stablehlo.return %x : tensor<4x8xf32>
      }) : (tensor<i1>) -> tensor<4x8xf32>
      stablehlo.return %a : tensor<4x8xf32>
    }, {
      %b = func.call @once(%5) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %b : tensor<4x8xf32>
    }) : (tensor<i1>) -> tensor<4x8xf32>
    %8:2 = stablehlo.while(%i = %n, %v = %7) : tensor<i32>, tensor<4x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %i2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %i2, %v : tensor<i32>, tensor<4x8xf32>
    }
    // composites that differ in a symbol name only
    %9 = stablehlo.composite "net.act" %8#1 {decomposition = @act.impl_1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %10 = stablehlo.composite "net.act" %9 {decomposition = @act.impl_2} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // a custom call with a computation of its own
    %11 = stablehlo.custom_call @net.apply(%10) {called_computations = [@act.impl_1]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // no run-time input
    %12 = stablehlo.iota dim = 0 : tensor<8x2xf32>
    %13 = stablehlo.add %w, %12 : tensor<8x2xf32>
    // booleans are spelled out
    %mask = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    %14 = stablehlo.select %mask, %6, %6 : tensor<4xi1>, tensor<4xf32>
    // tokens and tuples
    %15 = stablehlo.after_all : !stablehlo.token
    %16 = stablehlo.tuple %6, %14 : tuple<tensor<4xf32>, tensor<4xf32>>
    %17 = stablehlo.get_tuple_element %16[0] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %18 = stablehlo.dot_general %11, %13, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    return %18 : tensor<4x2xf32>
  }
  func.func private @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = call @once(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("jit(once)")
    %1 = call @once(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("jit(once)")
    return %1 : tensor<4x8xf32>
  }
  func.func private @once(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.tanh %x : tensor<4x8xf32> loc("tanh")
    return %0 : tensor<4x8xf32>
  }
  func.func private @act.impl_1(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = call @once(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @act.impl_2(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = call @once(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
