// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the devices of one driver share: the table of loops and the BLAS library.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_LIBRARIES_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_LIBRARIES_HPP_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "simd/table.hpp"
#include "symbols.hpp"

namespace patchbay::cpu {

class Libraries {
 public:
  Libraries(std::optional<std::string> blas_path, std::int64_t cache_bytes)
      : simd_(choose_simd_table()), blas_path_(std::move(blas_path)), cache_bytes_(cache_bytes) {}

  const SimdTable& simd() const noexcept { return simd_; }
  std::int64_t cache_bytes() const noexcept { return cache_bytes_; }

  /// Opened by the first call; a failure is tried again by the next.
  const Blas& blas() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!blas_) blas_.emplace(blas_path_);
    return *blas_;
  }
  /// Held during each call of a library that takes one at a time.
  std::mutex& blas_call_mutex() noexcept { return blas_call_mutex_; }

 private:
  const SimdTable simd_;
  const std::optional<std::string> blas_path_;
  const std::int64_t cache_bytes_;
  std::mutex mutex_, blas_call_mutex_;
  std::optional<Blas> blas_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_LIBRARIES_HPP_
