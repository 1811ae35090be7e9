// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_VENDOR_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_VENDOR_HPP_

#include <memory>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/api/driver.hpp"
#include "cuda-cublas/api/management_api.hpp"
#include "cuda-cublas/device/blas.hpp"
#include "cuda-cublas/device/blas_lt.hpp"
#include "cuda-cublas/device/choices.hpp"
#include "cuda-cublas/device/compiler.hpp"
#include "cuda-cublas/device/dnn.hpp"
#include "kit/card/context/device_info.hpp"
#include "kit/card/device/vendor.hpp"

namespace patchbay::cuda {

/// NVML, which tells the memory of a card without a context. It stays loaded.
class Management {
 public:
  /// Throws `unsupported` if there is no library, or it does not start.
  Management(plugin::Host host, int driver_version);

  /// Throws `unsupported` if the library does not know the device.
  plugin::Allocator::Info memory_info(const card::DeviceInfo& info) const;

 private:
#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_NVML_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

class Vendor : public card::VendorOf<Api, Compiler, BlasTable, Management> {
 public:
  explicit Vendor(plugin::Host host)
      : VendorOf(host),
        choices_(host),
        dnn_(host, own_api().version),
        blas_lt_(host, own_api().version),
        old_blas_(host, old_version()),
        old_blas_lt_(host, old_version()) {}

  std::unique_ptr<card::Products> make_products(card::Context& context,
                                                const card::DeviceInfo& info) override;
  std::unique_ptr<card::DnnLibrary> make_dnn(card::Context& context) override;
  std::unique_ptr<card::Layers> make_layers(card::Context& context,
                                            const card::DeviceInfo& info) override;
  card::DeviceInfo device(int index) const override;
  card::RangeCalls find_range_calls(plugin::Host host) override;

  const char* plugin_name() const override { return "cuda-cublas"; }
  const char* vendor_name() const override { return "NVIDIA"; }
  std::string driver_version() const override { return version_text(api().version); }
  const char* visibility_variable() const override { return "CUDA_VISIBLE_DEVICES"; }
  std::uint32_t dlpack_device_type() const override { return 2; }

 private:
  int old_version() const;

  const Choices choices_;
  card::Lazy<DnnTable> dnn_;
  card::Lazy<BlasLtTable> blas_lt_;
  // For cards that the libraries of CUDA 13 have no code for.
  card::Lazy<BlasTable> old_blas_;
  card::Lazy<BlasLtTable> old_blas_lt_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_VENDOR_HPP_
