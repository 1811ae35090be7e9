// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_BLAS_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_BLAS_HPP_

#include <mutex>

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/api/symbols.hpp"
#include "cuda-cublas/device/stream.hpp"

namespace patchbay::cuda {

/// c = alpha op(a) op(b) + beta c, `count` times; all matrices are column-major.
struct Product {
  struct Matrix {
    plugin::Memory memory;
    int leading = 1;
    bool transposed = false;
    std::int64_t next = 0;  // elements to the next matrix
  };
  int m = 0, n = 0, k = 0;
  Matrix a, b, c;
  int count = 1;
  const void* alpha;
  const void* beta;
};

/// The BLAS library on one device. Its handle is created for the first product and locked for each.
class Blas {
 public:
  Blas(Context& context, Lazy<BlasTable>& library) : context_(context), library_(library) {}
  ~Blas();

  /// Returns false if there is no library, which is logged once. Throws out of memory, retryable,
  /// if the device lacks memory for the library.
  bool open(plugin::Host host);
  void multiply(Stream& stream, std::uint8_t dtype, const Product& product,
                plugin::Memory workspace, std::uint64_t workspace_bytes, std::string_view name);

 private:
  template <class... P, class... A>
  void call(std::string_view doing, const Entry<int(P...)>& entry, A... arguments);
  void check(std::string_view doing, const char* entry, BlasResult code);
  void create_handle();
  template <class T, class Gemm, class Batched>
  void call_gemm(const Gemm& gemm, const Batched& batched, const Product& product,
                 std::string_view name);
  /// Splits the products into as many calls as the limit on batches requires.
  template <class T, class Gemm, class Batched>
  void call_batches(const Gemm& gemm, const Batched& batched, Product product,
                    std::string_view name);

  Context& context_;
  Lazy<BlasTable>& library_;
  std::mutex mutex_;
  const BlasTable* table_ = nullptr;
  NativeBlas handle_ = nullptr;
  bool is_absent_ = false;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_BLAS_HPP_
