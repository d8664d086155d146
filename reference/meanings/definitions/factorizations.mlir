// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorizations of matrices by LAPACK, cuSOLVER, hipSOLVER and XLA for TPUs. Many answers are right, so each is judged
// by its property (reference/meanings/properties.h), which names the operands and results. `scratch` may be anything.
// `?` stands for the letters of LAPACK's types: s, d, c and z.
!matrix = tensor<?x?xf32>
!vector = tensor<?xf32>
!integers = tensor<?xi32>
!info = tensor<i32>

module {

// ---- Cholesky

func.func private @cholesky_lapack(!matrix {opbyop.is = "a"}) -> (!matrix {opbyop.is = "l"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "cholesky", opbyop.meaning = ["lapack_?potrf_ffi"], opbyop.options = {lower = ["uplo", 76]}}
func.func private @cholesky_gpu(!matrix {opbyop.is = "a"}) -> (!matrix {opbyop.is = "l"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "cholesky", opbyop.meaning = ["cusolver_potrf_ffi", "hipsolver_potrf_ffi"],
              opbyop.options = {lower = "lower"}}

// ---- LU

func.func private @lu(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "lu"}, !integers {opbyop.is = "pivots"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "lu", opbyop.options = {first_row = 1},
              opbyop.meaning = ["lapack_?getrf_ffi", "cusolver_getrf_ffi", "hipsolver_getrf_ffi"]}
func.func private @lu_tpu(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "lu"}, !integers {opbyop.is = "pivots"}, !integers {opbyop.is = "permutation"})
  attributes {opbyop.property = "lu", opbyop.meaning = ["LuDecomposition"], opbyop.options = {first_row = 0}}
func.func private @permutation(!integers {opbyop.is = "pivots"}) -> (!integers {opbyop.is = "permutation"})
  attributes {opbyop.property = "pivots_to_permutation",
              opbyop.meaning = ["cu_lu_pivots_to_permutation", "hip_lu_pivots_to_permutation"]}

// ---- QR

func.func private @qr(!matrix {opbyop.is = "a"}) -> (!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "tau"})
  attributes {opbyop.property = "qr",
              opbyop.meaning = ["lapack_?geqrf_ffi", "cusolver_geqrf_ffi", "hipsolver_geqrf_ffi", "Qr"]}
func.func private @pivoted_qr(!matrix {opbyop.is = "a"}, !integers {opbyop.is = "columns"})
    -> (!matrix {opbyop.is = "packed"}, !integers {opbyop.is = "columns_out"}, !vector {opbyop.is = "tau"})
  attributes {opbyop.property = "pivoted_qr",
              opbyop.meaning = ["lapack_?geqp3_ffi", "cuhybrid_geqp3", "hiphybrid_geqp3"]}
func.func private @householder_product(!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "tau"})
    -> (!matrix {opbyop.is = "q"})
  attributes {opbyop.property = "householder_product",
              opbyop.meaning = ["lapack_sorgqr_ffi", "lapack_dorgqr_ffi", "lapack_cungqr_ffi", "lapack_zungqr_ffi",
                                "cusolver_orgqr_ffi", "hipsolver_orgqr_ffi",
                                "ProductOfElementaryHouseholderReflectors"]}
func.func private @product_left(!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "tau"},
                                !matrix {opbyop.is = "c"}) -> (!matrix {opbyop.is = "x"})
  attributes {opbyop.property = "left_householder_product", opbyop.where = {left = [true]},
              opbyop.options = {adjoint = "transpose"},
              opbyop.meaning = ["lapack_sormqr_ffi", "lapack_dormqr_ffi", "lapack_cunmqr_ffi", "lapack_zunmqr_ffi",
                                "cusolver_ormqr_ffi", "hipsolver_ormqr_ffi"]}
func.func private @product_right(!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "tau"},
                                 !matrix {opbyop.is = "c"}) -> (!matrix {opbyop.is = "x"})
  attributes {opbyop.property = "right_householder_product", opbyop.where = {left = [false]},
              opbyop.options = {adjoint = "transpose"},
              opbyop.meaning = ["lapack_sormqr_ffi", "lapack_dormqr_ffi", "lapack_cunmqr_ffi", "lapack_zunmqr_ffi",
                                "cusolver_ormqr_ffi", "hipsolver_ormqr_ffi"]}

// ---- Eigenvalues

func.func private @eigh_lapack(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "v"}, !vector {opbyop.is = "w"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "eigh", opbyop.where = {mode = [86]}, opbyop.options = {lower = ["uplo", 76]},
              opbyop.meaning = ["lapack_ssyevd_ffi", "lapack_dsyevd_ffi", "lapack_cheevd_ffi", "lapack_zheevd_ffi"]}
func.func private @eigh_gpu(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "v"}, !vector {opbyop.is = "w"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "eigh", opbyop.options = {lower = "lower"},
              opbyop.meaning = ["cusolver_syevd_ffi", "hipsolver_syevd_ffi"]}
// The text is "lower,sort,iterations,tolerance".
func.func private @eigh_tpu(!matrix {opbyop.is = "a"}) -> (!matrix {opbyop.is = "v"}, !vector {opbyop.is = "w"})
  attributes {opbyop.property = "eigh", opbyop.meaning = ["Eigh"],
              opbyop.options = {lower = "backend_config.0", sorted = "backend_config.1"}}
func.func private @eig_real(!matrix {opbyop.is = "a"})
    -> (!vector {opbyop.is = "wr"}, !vector {opbyop.is = "wi"}, !matrix {opbyop.is = "vl"}, !matrix {opbyop.is = "vr"},
        !info {opbyop.is = "info"})
  attributes {opbyop.property = "eig", opbyop.meaning = ["lapack_sgeev_ffi", "lapack_dgeev_ffi"],
              opbyop.options = {left = ["compute_left", 86], right = ["compute_right", 86]}}
func.func private @eig_complex(!matrix {opbyop.is = "a"})
    -> (!vector {opbyop.is = "w"}, !matrix {opbyop.is = "vl"}, !matrix {opbyop.is = "vr"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "eig", opbyop.meaning = ["lapack_cgeev_ffi", "lapack_zgeev_ffi"],
              opbyop.options = {left = ["compute_left", 86], right = ["compute_right", 86]}}
func.func private @eig_real_gpu(!matrix {opbyop.is = "a"})
    -> (!vector {opbyop.is = "wr"}, !vector {opbyop.is = "wi"}, !matrix {opbyop.is = "vl"}, !matrix {opbyop.is = "vr"},
        !info {opbyop.is = "info"})
  attributes {opbyop.property = "eig", opbyop.meaning = ["cuhybrid_eig_real", "hiphybrid_eig_real"],
              opbyop.options = {left = "left", right = "right"}}
func.func private @eig_complex_gpu(!matrix {opbyop.is = "a"})
    -> (!vector {opbyop.is = "w"}, !matrix {opbyop.is = "vl"}, !matrix {opbyop.is = "vr"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "eig", opbyop.meaning = ["cuhybrid_eig_comp", "hiphybrid_eig_comp"],
              opbyop.options = {left = "left", right = "right"}}
func.func private @schur_real(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "t"}, !matrix {opbyop.is = "z"}, !vector {opbyop.is = "wr"}, !vector {opbyop.is = "wi"},
        !info {opbyop.is = "selected"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "schur", opbyop.where = {mode = [86], sort = [78]},
              opbyop.meaning = ["lapack_sgees_ffi", "lapack_dgees_ffi"]}
func.func private @schur_complex(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "t"}, !matrix {opbyop.is = "z"}, !vector {opbyop.is = "w"},
        !info {opbyop.is = "selected"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "schur", opbyop.where = {mode = [86], sort = [78]},
              opbyop.meaning = ["lapack_cgees_ffi", "lapack_zgees_ffi"]}
func.func private @hessenberg(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "tau"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "hessenberg", opbyop.meaning = ["lapack_?gehrd_ffi"]}
func.func private @tridiagonal_lapack(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "d"}, !vector {opbyop.is = "e"},
        !vector {opbyop.is = "tau"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "tridiagonal", opbyop.options = {lower = ["uplo", 76]},
              opbyop.meaning = ["lapack_ssytrd_ffi", "lapack_dsytrd_ffi", "lapack_chetrd_ffi", "lapack_zhetrd_ffi"]}
func.func private @tridiagonal_gpu(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "packed"}, !vector {opbyop.is = "d"}, !vector {opbyop.is = "e"},
        !vector {opbyop.is = "tau"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "tridiagonal", opbyop.options = {lower = "lower"},
              opbyop.meaning = ["cusolver_sytrd_ffi", "hipsolver_sytrd_ffi"]}

// ---- Singular values

func.func private @svd_lapack(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "scratch"}, !vector {opbyop.is = "s"}, !matrix {opbyop.is = "u"},
        !matrix {opbyop.is = "vh"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "svd", opbyop.where = {mode = [65, 83]},
              opbyop.meaning = ["lapack_?gesdd_ffi", "lapack_?gesvd_ffi"]}
func.func private @singular_values(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "scratch"}, !vector {opbyop.is = "s"}, !matrix {opbyop.is = "scratch"},
        !matrix {opbyop.is = "scratch"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "singular_values", opbyop.where = {mode = [78]},
              opbyop.meaning = ["lapack_?gesdd_ffi", "lapack_?gesvd_ffi"]}
func.func private @svd_jacobi(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "scratch"}, !vector {opbyop.is = "s"}, !matrix {opbyop.is = "u"},
        !matrix {opbyop.is = "v"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "svd", opbyop.where = {compute_uv = [true]},
              opbyop.meaning = ["cusolver_gesvdj_ffi", "cusolver_gesvdp_ffi", "hipsolver_gesvdj_ffi"]}
func.func private @svd_gpu(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "scratch"}, !vector {opbyop.is = "s"}, !matrix {opbyop.is = "u"},
        !matrix {opbyop.is = "vh"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "svd", opbyop.where = {compute_uv = [true], transposed = [false]},
              opbyop.meaning = ["cusolver_gesvd_ffi", "hipsolver_gesvd_ffi", "hipsolver_gesdd_ffi"]}
// For a matrix of fewer rows than columns.
func.func private @svd_gpu_transposed(!matrix {opbyop.is = "a"})
    -> (!matrix {opbyop.is = "scratch"}, !vector {opbyop.is = "s"}, !matrix {opbyop.is = "vh"},
        !matrix {opbyop.is = "u"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "svd", opbyop.where = {compute_uv = [true], transposed = [true]},
              opbyop.meaning = ["cusolver_gesvd_ffi", "hipsolver_gesvd_ffi", "hipsolver_gesdd_ffi"]}

// ---- Tridiagonal systems

func.func private @tridiagonal_solve_lapack(
    !vector {opbyop.is = "dl"}, !vector {opbyop.is = "d"}, !vector {opbyop.is = "du"}, !matrix {opbyop.is = "b"})
    -> (!vector {opbyop.is = "scratch"}, !vector {opbyop.is = "scratch"}, !vector {opbyop.is = "scratch"},
        !matrix {opbyop.is = "x"}, !info {opbyop.is = "info"})
  attributes {opbyop.property = "tridiagonal_solve", opbyop.meaning = ["lapack_?gtsv_ffi"]}
func.func private @tridiagonal_solve_gpu(
    !vector {opbyop.is = "dl"}, !vector {opbyop.is = "d"}, !vector {opbyop.is = "du"}, !matrix {opbyop.is = "b"})
    -> (!matrix {opbyop.is = "x"})
  attributes {opbyop.property = "tridiagonal_solve",
              opbyop.meaning = ["cusparse_gtsv2_ffi", "hipsparse_gtsv2_ffi", "tridiagonal_solve_perturbed_ffi"]}
}
