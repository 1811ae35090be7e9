// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's library, opened at run time. It is never unloaded, because it keeps threads.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_HPP_

#include <string>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/api/driver_api.hpp"

namespace patchbay::cuda {

class Api : public card::Api {
 public:
  /// Opens the file of the setting cuda_library, else libcuda.so.1. Throws PATCHBAY_NO_DRIVER with
  /// the reason, also if the driver is too old.
  explicit Api(plugin::Host host);

  std::string describe(Result code) const override;
  bool loses_device(Result code) const override;

#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_CUDA_OWN_ENTRIES(PATCHBAY_CUDA_MEMBER)
  PATCHBAY_CUDA_OWN_GRAPH_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

/// For example "13.0" for 13000.
std::string version_text(int version);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_HPP_
