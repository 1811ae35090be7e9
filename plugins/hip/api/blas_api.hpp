// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of rocBLAS that are used; see driver_api.hpp. Matrices are column-major.
#ifndef PATCHBAY_PLUGINS_HIP_API_BLAS_API_HPP_
#define PATCHBAY_PLUGINS_HIP_API_BLAS_API_HPP_

#include <cstddef>
#include <cstdint>

#include "kit/card/api/entries.hpp"

namespace patchbay::hip {

using BlasResult = int;
using NativeBlas = struct BlasObject*;

// Entry by entry.
// clang-format off
// our name, the vendor's name, value
#define PATCHBAY_HIP_BLAS_CONSTANTS(constant) \
  constant(kBlasSuccess, rocblas_status_success, 0) \
  constant(kBlasInvalidHandle, rocblas_status_invalid_handle, 1) \
  constant(kBlasMemoryError, rocblas_status_memory_error, 5) \
  constant(kBlasInternalError, rocblas_status_internal_error, 6) \
  constant(kBlasNotTransposed, rocblas_operation_none, 111) \
  constant(kBlasTransposed, rocblas_operation_transpose, 112) \
  constant(kBlasF16, rocblas_datatype_f16_r, 150) \
  constant(kBlasF32, rocblas_datatype_f32_r, 151) \
  constant(kBlasF64, rocblas_datatype_f64_r, 152) \
  constant(kBlasBf16, rocblas_datatype_bf16_r, 168) \
  constant(kBlasNoAtomics, rocblas_atomics_not_allowed, 0) \
  constant(kBlasStandardAlgorithm, rocblas_gemm_algo_standard, 0)

#define PATCHBAY_HIP_BLAS_LATER_CONSTANTS(constant) \
  constant(kBlasXf32Math, rocblas_xf32_xdl_math_op, 1)

// our name, the library's symbol, parameters; all return a BlasResult
#define PATCHBAY_HIP_BLAS_ENTRIES(entry) \
  entry(create, rocblas_create_handle, (NativeBlas*)) \
  entry(destroy, rocblas_destroy_handle, (NativeBlas)) \
  entry(set_stream, rocblas_set_stream, (NativeBlas, card::NativeStream)) \
  entry(set_workspace, rocblas_set_workspace, (NativeBlas, void* memory, std::size_t bytes)) \
  entry(set_atomics, rocblas_set_atomics_mode, (NativeBlas, int mode)) \
  entry(gemm, rocblas_gemm_strided_batched_ex, (NativeBlas, int transpose_a, int transpose_b, \
        int m, int n, int k, const void* alpha, const void* a, int a_type, int lda, \
        std::int64_t next_a, const void* b, int b_type, int ldb, std::int64_t next_b, \
        const void* beta, const void* c, int c_type, int ldc, std::int64_t next_c, void* d, \
        int d_type, int ldd, std::int64_t next_d, int count, int compute_type, int algorithm, \
        std::int32_t solution, std::uint32_t flags))
// clang-format on

// Not in all versions.
#define PATCHBAY_HIP_BLAS_LATER_ENTRIES(entry) \
  entry(set_math_mode, rocblas_set_math_mode, (NativeBlas, int mode))

#define PATCHBAY_HIP_BLAS_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_HIP_BLAS_CONSTANTS(PATCHBAY_HIP_BLAS_CONSTANT)
PATCHBAY_HIP_BLAS_LATER_CONSTANTS(PATCHBAY_HIP_BLAS_CONSTANT)
#undef PATCHBAY_HIP_BLAS_CONSTANT

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_BLAS_API_HPP_
