// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threefry-2x32 of 20 rounds [Salmon et al. 2011], by which JAX draws random bits: two words of key, two of a counter.
!words = tensor<?xui32>

module {

func.func @threefry(%key0: !words, %key1: !words, %x0: !words, %x1: !words) -> (!words, !words)
  attributes {opbyop.meaning = ["cu_threefry2x32_ffi", "hip_threefry2x32_ffi"]} {
  %parity = stablehlo.constant dense<0x1BD11BDA> : tensor<ui32>
  %0 = stablehlo.xor %key0, %key1 : !words
  %key2 = chlo.broadcast_xor %0, %parity : (!words, tensor<ui32>) -> !words
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %two = stablehlo.constant dense<2> : tensor<ui32>
  %three = stablehlo.constant dense<3> : tensor<ui32>
  %four = stablehlo.constant dense<4> : tensor<ui32>
  %five = stablehlo.constant dense<5> : tensor<ui32>
  %even = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
  %odd = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
  %a0 = stablehlo.add %x0, %key0 : !words
  %a1 = stablehlo.add %x1, %key1 : !words
  %b:2 = call @rounds(%a0, %a1, %even, %key1, %key2, %one) : (!words, !words, tensor<4xui32>, !words, !words, tensor<ui32>) -> (!words, !words)
  %c:2 = call @rounds(%b#0, %b#1, %odd, %key2, %key0, %two) : (!words, !words, tensor<4xui32>, !words, !words, tensor<ui32>) -> (!words, !words)
  %d:2 = call @rounds(%c#0, %c#1, %even, %key0, %key1, %three) : (!words, !words, tensor<4xui32>, !words, !words, tensor<ui32>) -> (!words, !words)
  %e:2 = call @rounds(%d#0, %d#1, %odd, %key1, %key2, %four) : (!words, !words, tensor<4xui32>, !words, !words, tensor<ui32>) -> (!words, !words)
  %f:2 = call @rounds(%e#0, %e#1, %even, %key2, %key0, %five) : (!words, !words, tensor<4xui32>, !words, !words, tensor<ui32>) -> (!words, !words)
  return %f#0, %f#1 : !words, !words
}

// Four rounds, and the injection of the key.
func.func private @rounds(%x0: !words, %x1: !words, %rotations: tensor<4xui32>, %key0: !words, %key1: !words,
                          %number: tensor<ui32>) -> (!words, !words) {
  %0 = stablehlo.slice %rotations [0:1] : (tensor<4xui32>) -> tensor<1xui32>
  %1 = stablehlo.slice %rotations [1:2] : (tensor<4xui32>) -> tensor<1xui32>
  %2 = stablehlo.slice %rotations [2:3] : (tensor<4xui32>) -> tensor<1xui32>
  %3 = stablehlo.slice %rotations [3:4] : (tensor<4xui32>) -> tensor<1xui32>
  %a:2 = call @round(%x0, %x1, %0) : (!words, !words, tensor<1xui32>) -> (!words, !words)
  %b:2 = call @round(%a#0, %a#1, %1) : (!words, !words, tensor<1xui32>) -> (!words, !words)
  %c:2 = call @round(%b#0, %b#1, %2) : (!words, !words, tensor<1xui32>) -> (!words, !words)
  %d:2 = call @round(%c#0, %c#1, %3) : (!words, !words, tensor<1xui32>) -> (!words, !words)
  %4 = stablehlo.add %d#0, %key0 : !words
  %5 = stablehlo.add %d#1, %key1 : !words
  %6 = chlo.broadcast_add %5, %number : (!words, tensor<ui32>) -> !words
  return %4, %6 : !words, !words
}

func.func private @round(%x0: !words, %x1: !words, %rotation: tensor<1xui32>) -> (!words, !words) {
  %bits = stablehlo.constant dense<32> : tensor<1xui32>
  %0 = stablehlo.add %x0, %x1 : !words
  %rest = stablehlo.subtract %bits, %rotation : tensor<1xui32>
  %1 = chlo.broadcast_shift_left %x1, %rotation : (!words, tensor<1xui32>) -> !words
  %2 = chlo.broadcast_shift_right_logical %x1, %rest : (!words, tensor<1xui32>) -> !words
  %3 = stablehlo.or %1, %2 : !words
  %4 = stablehlo.xor %0, %3 : !words
  return %0, %4 : !words, !words
}
}
