// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/kernels/blas.hpp"

#include <algorithm>
#include <string>

#include "cuda-cublas/api/error.hpp"
#include "cuda-cublas/device/allocator.hpp"

namespace patchbay::cuda {
namespace {

// The library maps batches to a grid's third axis, which has this limit.
constexpr int kMostBatches = 65535;

template <class T>
T* pointer_to(plugin::Memory memory) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address_of(memory)));
}

int operation(const Product::Matrix& matrix) {
  return matrix.transposed ? kBlasTransposed : kBlasNotTransposed;
}

/// Whether device memory may be exhausted: the library reports that by any of these codes.
bool is_full(BlasResult code) {
  return code == kBlasNotInitialized || code == kBlasAllocationFailed || code == kBlasInternalError;
}

}  // namespace

Blas::~Blas() {
  if (handle_ != nullptr) context_.call_quietly(table_->destroy, handle_);
}

template <class... P, class... A>
void Blas::call(std::string_view doing, const Entry<int(P...)>& entry, A... arguments) {
  check(doing, entry.name, context_.attempt(entry, arguments...));
}

void Blas::check(std::string_view doing, const char* entry, BlasResult code) {
  if (code == kBlasSuccess) return;
  const std::string why = std::string(doing.empty() ? "cuBLAS" : doing) + ": " + entry +
                          " gives status " + std::to_string(code);
  if (code == kBlasAllocationFailed) {
    throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, why, code, PATCHBAY_STATUS_RETRYABLE);
  }
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, why, code);
}

bool Blas::open(plugin::Host host) {
  const std::lock_guard lock(mutex_);
  if (handle_ != nullptr || is_absent_) return !is_absent_;
  try {
    table_ = &library_.get();
  } catch (const plugin::StatusError& error) {
    is_absent_ = true;
    host.log(PATCHBAY_LOG_WARNING,
             std::string("products run on the portable kernel, which is slow: ") + error.what());
    return false;
  }
  create_handle();
  return true;
}

void Blas::create_handle() {
  NativeBlas handle = nullptr;
  const BlasResult code = context_.attempt(table_->create, &handle);
  if (is_full(code)) {
    std::size_t free_bytes = 0, total_bytes = 0;
    context_.call(context_.driver().memory_info, &free_bytes, &total_bytes);
    throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY,
                              std::string(table_->create.name) + " gives status " +
                                  std::to_string(code) +
                                  ", as on a full device: " + std::to_string(free_bytes) + " of " +
                                  std::to_string(total_bytes) + " bytes are free",
                              code, PATCHBAY_STATUS_RETRYABLE);
  }
  check({}, table_->create.name, code);
  try {
    call({}, table_->set_math_mode, handle, kBlasDefaultMath);  // don't reduce the precision of f32
  } catch (...) {
    context_.call_quietly(table_->destroy, handle);
    throw;
  }
  handle_ = handle;
}

template <class T, class Gemm, class Batched>
void Blas::call_gemm(const Gemm& gemm, const Batched& batched, const Product& p,
                     std::string_view name) {
  const auto *alpha = static_cast<const T*>(p.alpha), *beta = static_cast<const T*>(p.beta);
  const auto *a = pointer_to<const T>(p.a.memory), *b = pointer_to<const T>(p.b.memory);
  auto* c = pointer_to<T>(p.c.memory);
  if (p.count == 1) {
    return call(name, gemm, handle_, operation(p.a), operation(p.b), p.m, p.n, p.k, alpha, a,
                p.a.leading, b, p.b.leading, beta, c, p.c.leading);
  }
  using Step = long long;  // NOLINT(google-runtime-int): the library's
  call(name, batched, handle_, operation(p.a), operation(p.b), p.m, p.n, p.k, alpha, a, p.a.leading,
       Step{p.a.next}, b, p.b.leading, Step{p.b.next}, beta, c, p.c.leading, Step{p.c.next},
       p.count);
}

template <class T, class Gemm, class Batched>
void Blas::call_batches(const Gemm& gemm, const Batched& batched, Product product,
                        std::string_view name) {
  int left = product.count;
  while (left > 0) {
    product.count = std::min(left, kMostBatches);
    call_gemm<T>(gemm, batched, product, name);
    left -= product.count;
    for (Product::Matrix* matrix : {&product.a, &product.b, &product.c}) {
      matrix->memory.offset_bytes +=
          static_cast<std::uint64_t>(product.count * matrix->next) * sizeof(T);
    }
  }
}

void Blas::multiply(Stream& stream, std::uint8_t dtype, const Product& product,
                    plugin::Memory workspace, std::uint64_t workspace_bytes,
                    std::string_view name) {
  const std::lock_guard lock(mutex_);
  call(name, table_->set_stream, handle_, stream.native());
  // After set_stream, which resets the workspace to the library's own.
  if (workspace.base != nullptr) {
    call(name, table_->set_workspace, handle_, pointer_to<void>(workspace),
         static_cast<std::size_t>(workspace_bytes));
  }
  try {
    if (dtype == PATCHBAY_F32) {
      call_batches<float>(table_->gemm_f32, table_->gemm_batched_f32, product, name);
    } else {
      call_batches<double>(table_->gemm_f64, table_->gemm_batched_f64, product, name);
    }
  } catch (const plugin::StatusError&) {
    // Ask the driver whether the device is lost, because the library does not report that.
    const auto& query = context_.driver().stream_query;
    const Result code = context_.attempt(query, stream.native());
    if (loses_device(code)) context_.fail(query.name, code, name);
    throw;
  }
  stream.note(name);
}

}  // namespace patchbay::cuda
