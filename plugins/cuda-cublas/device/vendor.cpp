// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/vendor.hpp"

#include <algorithm>

#include "kit/card/api/error.hpp"

namespace patchbay::cuda {

int Vendor::old_version() const {
  constexpr int kNewest = 12990;  // any of CUDA 12
  return std::min(own_api().version, kNewest);
}

std::unique_ptr<card::Products> Vendor::make_products(card::Context& context,
                                                      const card::DeviceInfo& info) {
  return std::make_unique<Blas>(context, info, choices_,
                                is_before_cuda_13(info) ? old_blas_ : blas());
}

std::unique_ptr<card::DnnLibrary> Vendor::make_dnn(card::Context& context) {
  return std::make_unique<Dnn>(context, choices_, dnn_);
}

std::unique_ptr<card::Layers> Vendor::make_layers(card::Context& context,
                                                  const card::DeviceInfo& info) {
  return std::make_unique<BlasLt>(context, choices_,
                                  is_before_cuda_13(info) ? old_blas_lt_ : blas_lt_);
}

card::DeviceInfo Vendor::device(int index) const {
  DeviceNumber number = 0;
  card::call(api(), own_api().device_get, &number, index);
  card::DeviceInfo info =
      card::device_info(api(), number,
                        {kMultiprocessorCount, kWarpSize, kMaxThreadsPerBlock, kIntegrated,
                         kL2CacheBytes, kSharedMemoryBytes, kClockKhz, kMemoryClockKhz});
  int major = 0, minor = 0;
  card::call(api(), api().device_attribute, &major, kCapabilityMajor, number);
  card::call(api(), api().device_attribute, &minor, kCapabilityMinor, number);
  // CUDA C++ Programming Guide, kernel parameters: since CUDA 12.1, from compute capability 7.0 on.
  if (api().version >= 12010 && major >= 7) info.argument_bytes = 32764;
  info.architecture = "sm_" + std::to_string(10 * major + minor);
  return info;
}

}  // namespace patchbay::cuda
