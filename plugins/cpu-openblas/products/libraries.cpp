// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/libraries.hpp"

#include <utility>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/simd/selection.hpp"

namespace patchbay::cpu {

Libraries::Libraries(plugin::Host host, std::int64_t cache_bytes)
    : simd_(choose_simd_table(host.option("cpu_simd"))), cache_bytes_(cache_bytes) {
  choose_products(host);
}

void Libraries::choose_products(plugin::Host host) {
  const std::string wish = host.option("cpu_products").value_or("auto");
  if (wish != "auto" && wish != "own" && wish != "openblas") {
    plugin::invalid_argument("option cpu_products: expected auto, own or openblas, got '" + wish +
                             "'");
  }
  description_ = std::string(simd_.name) + ", own products";
  if (wish == "own" || (wish == "auto" && simd_.has_fast_products)) return;
  std::string why;
  blas_ = Blas::open(host.option("openblas_path"), why);
  if (blas_ != nullptr) {
    description_ = std::string(simd_.name) + ", products by " + blas_->name();
    return;
  }
  description_ += " (no OpenBLAS)";
  host.log(PATCHBAY_LOG_WARNING,
           "OpenBLAS can't be used (" + why +
               "), so the plugin's own loops multiply matrices. Install libopenblas0-pthread, set "
               "openblas_path, or set cpu_products to own.");
}

}  // namespace patchbay::cpu
