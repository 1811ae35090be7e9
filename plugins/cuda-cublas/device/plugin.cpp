// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "cuda-cublas/device/vendor.hpp"
#include "kit/card/device/driver.hpp"

namespace patchbay::cuda {
namespace {

class Driver : public card::Driver {
 public:
  explicit Driver(plugin::Host host) : card::Driver(std::make_unique<Vendor>(host)) {}
};

}  // namespace
}  // namespace patchbay::cuda

PATCHBAY_PLUGIN_SETTINGS(
    "cuda_library cuda_rtc_library cuda_blas_library cuda_blas_lt_library cuda_dnn_library "
    "cuda_management_library cuda_ranges_library cuda_tf32 cuda_batches cuda_convolutions "
    "cuda_attention");
PATCHBAY_DEFINE_PLUGIN("cuda-cublas", "cuda", "0.1", patchbay::cuda::Driver);
