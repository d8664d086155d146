// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The greatest elements, or the least, of which a device may miss some. Where JAX lowers it for other devices than TPUs
// (`is_fallback`), XLA sorts, and none is missing.
!vector = tensor<?xf32>
!integers = tensor<?xi32>
!number = tensor<f32>
!integer = tensor<i32>

module {

func.func private @sorted(!vector {opbyop.is = "a"}, !integers {opbyop.is = "places"}, !number {opbyop.is = "init"},
                          !integer {opbyop.is = "init_place"})
    -> (!vector {opbyop.is = "values"}, !integers {opbyop.is = "chosen"})
  attributes {opbyop.property = "approximate_top_k", opbyop.meaning = "ApproxTopK",
              opbyop.last_dimension = "reduction_dim", opbyop.where = {is_fallback = [true]},
              opbyop.options = {k = "top_k", aggregate = "aggregate_to_topk", recall = "recall_target", exact = 1}}
func.func private @approximate(!vector {opbyop.is = "a"}, !integers {opbyop.is = "places"}, !number {opbyop.is = "init"},
                               !integer {opbyop.is = "init_place"})
    -> (!vector {opbyop.is = "values"}, !integers {opbyop.is = "chosen"})
  attributes {opbyop.property = "approximate_top_k", opbyop.meaning = "ApproxTopK",
              opbyop.last_dimension = "reduction_dim",
              opbyop.options = {k = "top_k", aggregate = "aggregate_to_topk", recall = "recall_target", exact = 0}}
}
