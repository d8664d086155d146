// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Triangular systems by BLAS: op(A) X = B or X op(A) = B. The characters are ASCII: L 76, R 82, U 85, T 84, C 67.
!matrix = tensor<?x?xcomplex<f32>>
!places = tensor<?x?xi32>

module {

func.func @solve(%a: !matrix {opbyop.input = "triangular"}, %b: !matrix, %side: tensor<i32> {opbyop.attribute = "side"},
                 %triangle: tensor<i32> {opbyop.attribute = "uplo"},
                 %transposition: tensor<i32> {opbyop.attribute = "trans_x"},
                 %diagonal: tensor<i32> {opbyop.attribute = "diag"}) -> !matrix
  attributes {opbyop.meaning = ["lapack_?trsm_ffi"], opbyop.types = [f32, f64, complex<f64>]} {
  %left = stablehlo.constant dense<76> : tensor<i32>
  %t = stablehlo.constant dense<84> : tensor<i32>
  %c = stablehlo.constant dense<67> : tensor<i32>
  %u = stablehlo.constant dense<85> : tensor<i32>
  %is_left = stablehlo.compare EQ, %side, %left : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %is_right = stablehlo.not %is_left : tensor<i1>
  %is_upper = stablehlo.compare EQ, %triangle, %u : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %is_transposed = stablehlo.compare EQ, %transposition, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %is_adjoint = stablehlo.compare EQ, %transposition, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %is_flipped = stablehlo.or %is_transposed, %is_adjoint : tensor<i1>
  %is_unit = stablehlo.compare EQ, %diagonal, %u : (tensor<i32>, tensor<i32>) -> tensor<i1>

  // A diagonal of ones is not read.
  %n = stablehlo.get_dimension_size %a, dim = 0 : (!matrix) -> tensor<i32>
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %0, %0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %rows = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> !places
  %columns = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> !places
  %on_diagonal = stablehlo.compare EQ, %rows, %columns : (!places, !places) -> tensor<?x?xi1>
  %is_one = chlo.broadcast_and %on_diagonal, %is_unit : (tensor<?x?xi1>, tensor<i1>) -> tensor<?x?xi1>
  %identity = stablehlo.convert %on_diagonal : (tensor<?x?xi1>) -> !matrix
  %read = stablehlo.select %is_one, %identity, %a : tensor<?x?xi1>, !matrix

  // X M = B is the transpose of M^T X^T = B^T.
  %conjugate = chlo.conj %read : !matrix -> !matrix
  %plain = stablehlo.select %is_adjoint, %conjugate, %read : tensor<i1>, !matrix
  %transposes = stablehlo.xor %is_flipped, %is_right : tensor<i1>
  %transpose = stablehlo.transpose %plain, dims = [1, 0] : (!matrix) -> !matrix
  %system = stablehlo.select %transposes, %transpose, %plain : tensor<i1>, !matrix
  %right_sides = "stablehlo.if"(%is_left) ({
    stablehlo.return %b : !matrix
  }, {
    %1 = stablehlo.transpose %b, dims = [1, 0] : (!matrix) -> !matrix
    stablehlo.return %1 : !matrix
  }) : (tensor<i1>) -> !matrix

  // An upper triangle read backwards is a lower one.
  %reverses = stablehlo.xor %is_upper, %transposes : tensor<i1>
  %backwards = stablehlo.reverse %system, dims = [0, 1] : !matrix
  %lower = stablehlo.select %reverses, %backwards, %system : tensor<i1>, !matrix
  %reversed_sides = stablehlo.reverse %right_sides, dims = [0] : !matrix
  %sides = stablehlo.select %reverses, %reversed_sides, %right_sides : tensor<i1>, !matrix
  %solved = "stablehlo.triangular_solve"(%lower, %sides) {left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (!matrix, !matrix) -> !matrix
  %forwards = stablehlo.reverse %solved, dims = [0] : !matrix
  %x = stablehlo.select %reverses, %forwards, %solved : tensor<i1>, !matrix
  %result = "stablehlo.if"(%is_left) ({
    stablehlo.return %x : !matrix
  }, {
    %1 = stablehlo.transpose %x, dims = [1, 0] : (!matrix) -> !matrix
    stablehlo.return %1 : !matrix
  }) : (tensor<i1>) -> !matrix
  return %result : !matrix
}
}
