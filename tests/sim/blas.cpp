// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The simulated BLAS library: plain loops, queued on the stream of the simulated driver.
#include <algorithm>
#include <cstring>

#include "cuda-cublas/api/blas_api.hpp"
#include "entries.h"
#include "machine.h"

namespace patchbay::cuda {

struct BlasObject {
  ContextObject& context;
  Address memory = 0;  // what it keeps of the device
  NativeStream stream = nullptr;
  std::byte* workspace = nullptr;  // the caller's, until the stream changes
  std::size_t workspace_bytes = 0;
  bool keeps_f32 = false;
};

}  // namespace patchbay::cuda

using namespace patchbay::cuda;
using namespace patchbay::sim;

PATCHBAY_BLAS_ENTRIES(PATCHBAY_SIM_DECLARE)

namespace {

constexpr int kInvalidValueStatus = 7, kExecutionFailedStatus = 13;
// The third axis of a grid goes no further.
constexpr int kMostBatches = 65535;

/// A matrix by columns, or its transposed one.
template <class T>
struct View {
  const T* data;
  std::int64_t row, column;
  View(const std::byte* bytes, int transpose, int leading)
      : data(reinterpret_cast<const T*>(bytes)),
        row(transpose == kBlasNotTransposed ? 1 : leading),
        column(transpose == kBlasNotTransposed ? leading : 1) {}
  T at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

/// `count` matrices of so many columns at equal distances.
struct Extent {
  std::int64_t rows, columns, leading, next, count;

  std::uint64_t elements() const {
    if (rows == 0 || columns == 0) return 1;  // its address must be one all the same
    return static_cast<std::uint64_t>((count - 1) * next + (columns - 1) * leading + rows);
  }
};

/// Null if not all of the matrices is in memory of the context's, and for no address at all.
template <class T>
std::byte* bytes_of(const ContextObject& context, const T* address, const Extent& extent) {
  const std::lock_guard lock(machine().mutex);
  return machine().resolve(context, reinterpret_cast<std::uintptr_t>(address),
                           extent.elements() * sizeof(T));
}

/// Until the product is done nobody else may use it, nor rely on what is there.
void scribble(std::byte* workspace, std::size_t bytes) {
  constexpr std::size_t kEnd = 4096;
  if (workspace == nullptr) return;
  std::memset(workspace, 0x5A, std::min(bytes, kEnd));
  if (bytes > kEnd) std::memset(workspace + bytes - kEnd, 0x5A, kEnd);
}

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, View<T> a, View<T> b, T beta,
              T* c, std::int64_t leading) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      T sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += a.at(i, l) * b.at(l, j);
      T& out = c[i + j * leading];
      out = beta == T(0) ? alpha * sum : alpha * sum + beta * out;
    }
  }
}

template <class T>
int gemm(NativeBlas handle, int transpose_a, int transpose_b, int m, int n, int k, const T* alpha,
         const T* a, int lda, long long next_a, const T* b, int ldb, long long next_b,
         const T* beta, T* c, int ldc, long long next_c, int count) {
  int code = 0;
  const ContextObject* const context = current_context(code);
  if (context != &handle->context || !handle->keeps_f32) return kBlasNotInitialized;
  const int rows_a = transpose_a == kBlasNotTransposed ? m : k;
  const int rows_b = transpose_b == kBlasNotTransposed ? k : n;
  if (m < 0 || n < 0 || k < 0 || count < 0 || lda < std::max(1, rows_a) ||
      ldb < std::max(1, rows_b) || ldc < std::max(1, m)) {
    return kInvalidValueStatus;
  }
  if (count > kMostBatches) return kExecutionFailedStatus;
  std::byte* const bytes_a = bytes_of(*context, a, {rows_a, m + k - rows_a, lda, next_a, count});
  std::byte* const bytes_b = bytes_of(*context, b, {rows_b, k + n - rows_b, ldb, next_b, count});
  std::byte* const bytes_c = bytes_of(*context, c, {m, n, ldc, next_c, count});
  if (bytes_a == nullptr || bytes_b == nullptr || bytes_c == nullptr) return kInvalidValueStatus;
  const T alpha_value = *alpha, beta_value = *beta;  // of the host, read now
  code = submit(handle->stream, [=, workspace = handle->workspace,
                                 bytes = handle->workspace_bytes] {
    scribble(workspace, bytes);
    const auto element = static_cast<long long>(sizeof(T));
    for (int i = 0; i < count; ++i) {
      multiply<T>(m, n, k, alpha_value, View<T>(bytes_a + i * next_a * element, transpose_a, lda),
                  View<T>(bytes_b + i * next_b * element, transpose_b, ldb), beta_value,
                  reinterpret_cast<T*>(bytes_c + i * next_c * element), ldc);
    }
  });
  return code == kSuccess ? kBlasSuccess : kExecutionFailedStatus;
}

}  // namespace

int cublasCreate_v2(NativeBlas* handle) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return kBlasNotInitialized;
  const std::lock_guard lock(machine().mutex);
  Block* const kept = machine().allocate(*context, machine().config.blas_bytes);
  if (kept == nullptr) return machine().config.blas_status;
  kept->is_of_library = true;
  *handle = new BlasObject{*context, reinterpret_cast<std::uintptr_t>(kept->range.base())};
  ++machine().num_blas_handles;
  return kBlasSuccess;
}

int cublasDestroy_v2(NativeBlas handle) {
  if (machine().gone() != kSuccess) return kBlasNotInitialized;
  {
    const std::lock_guard lock(machine().mutex);
    machine().blocks.erase(handle->memory);
  }
  delete handle;
  --machine().num_blas_handles;
  return kBlasSuccess;
}

int cublasSetStream_v2(NativeBlas handle, NativeStream stream) {
  handle->stream = stream;
  handle->workspace = nullptr;  // the library's own comes back
  handle->workspace_bytes = 0;
  return kBlasSuccess;
}

int cublasSetWorkspace_v2(NativeBlas handle, void* memory, std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  handle->workspace =
      address % 256 == 0 ? machine().resolve(handle->context, address, bytes) : nullptr;
  handle->workspace_bytes = bytes;
  return handle->workspace != nullptr ? kBlasSuccess : kInvalidValueStatus;
}

int cublasSetMathMode(NativeBlas handle, int mode) {
  handle->keeps_f32 = mode == kBlasDefaultMath;
  return kBlasSuccess;
}

int cublasSgemm_v2(NativeBlas handle, int transpose_a, int transpose_b, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b, int ldb,
                   const float* beta, float* c, int ldc) {
  return gemm(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc,
              0, 1);
}

int cublasDgemm_v2(NativeBlas handle, int transpose_a, int transpose_b, int m, int n, int k,
                   const double* alpha, const double* a, int lda, const double* b, int ldb,
                   const double* beta, double* c, int ldc) {
  return gemm(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc,
              0, 1);
}

int cublasSgemmStridedBatched(NativeBlas handle, int transpose_a, int transpose_b, int m, int n,
                              int k, const float* alpha, const float* a, int lda, long long next_a,
                              const float* b, int ldb, long long next_b, const float* beta,
                              float* c, int ldc, long long next_c, int count) {
  return gemm(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, next_a, b, ldb, next_b,
              beta, c, ldc, next_c, count);
}

int cublasDgemmStridedBatched(NativeBlas handle, int transpose_a, int transpose_b, int m, int n,
                              int k, const double* alpha, const double* a, int lda,
                              long long next_a, const double* b, int ldb, long long next_b,
                              const double* beta, double* c, int ldc, long long next_c, int count) {
  return gemm(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, next_a, b, ldb, next_b,
              beta, c, ldc, next_c, count);
}
