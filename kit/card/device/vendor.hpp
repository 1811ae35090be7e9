// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a vendor's plugin adds to the shared layer.
#ifndef PATCHBAY_KIT_CARD_DEVICE_VENDOR_HPP_
#define PATCHBAY_KIT_CARD_DEVICE_VENDOR_HPP_

#include <memory>
#include <string>

#include "kit/card/device/device_info.hpp"
#include "kit/card/kernels/compiler.hpp"
#include "kit/card/kernels/products.hpp"

namespace patchbay::card {

/// The vendor's libraries and names. The driver owns it; it outlives all devices.
class Vendor {
 public:
  virtual ~Vendor() = default;

  virtual const Api& api() const = 0;
  virtual Compiler& compiler() = 0;
  /// The library of matrix products on one device, which is opened for the first product.
  virtual std::unique_ptr<Products> make_products(Context& context, const DeviceInfo& info) = 0;
  /// The device with that position in the driver's order. Throws the driver's errors.
  virtual DeviceInfo device(int index) const = 0;

  /// The memory of a device that need not have a context, by a library for the management of cards.
  /// Throws `unsupported` if there is no such library, or it does not know the device.
  virtual plugin::Allocator::Info memory_info(const DeviceInfo& info) = 0;

  virtual const char* plugin_name() const = 0;     // "cuda-cublas"
  virtual const char* vendor_name() const = 0;     // "NVIDIA"
  virtual std::string driver_version() const = 0;  // "13.0"
  virtual std::uint32_t dlpack_device_type() const = 0;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_DEVICE_VENDOR_HPP_
