// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a vendor's plugin adds to the shared layer.
#ifndef PATCHBAY_KIT_CARD_DEVICE_VENDOR_HPP_
#define PATCHBAY_KIT_CARD_DEVICE_VENDOR_HPP_

#include <memory>
#include <string>

#include "kit/call_gate.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/context/device_info.hpp"
#include "kit/card/kernels/compiler.hpp"
#include "kit/card/kernels/dnn_library.hpp"
#include "kit/card/kernels/layers.hpp"
#include "kit/card/kernels/products.hpp"

namespace patchbay::card {

/// A profiler's functions for nested ranges of the calling thread. Both are null if no profiler
/// listens.
struct RangeCalls {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

/// The vendor's libraries and names. The driver owns it; it outlives all devices.
class Vendor {
 public:
  virtual ~Vendor() = default;

  virtual const Api& api() const = 0;
  /// Closed when the process is ending, when the vendor's libraries may crash.
  CallGate& gate() { return gate_; }
  virtual Compiler& compiler() = 0;
  /// The library of matrix products on one device, which is opened for the first product.
  virtual std::unique_ptr<Products> make_products(Context& context, const DeviceInfo& info) = 0;
  /// The library of network operators on one device, likewise. Null if the vendor's is not used.
  virtual std::unique_ptr<DnnLibrary> make_dnn(Context& /*context*/) { return nullptr; }
  /// The library of products with a bias on one device, likewise.
  virtual std::unique_ptr<Layers> make_layers(Context& /*context*/, const DeviceInfo& /*info*/) {
    return nullptr;
  }
  /// The device with that position in the driver's order. Throws the driver's errors.
  virtual DeviceInfo device(int index) const = 0;

  /// The memory of a device that need not have a context, by a library for the management of cards.
  /// Throws `unsupported` if there is no such library, or it does not know the device.
  virtual plugin::Allocator::Info memory_info(const DeviceInfo& info) = 0;

  /// Opens the vendor's profiler, if one listens. Why there is none goes to the host's log.
  virtual RangeCalls find_range_calls(plugin::Host host) = 0;

  virtual const char* plugin_name() const = 0;     // "cuda-cublas"
  virtual const char* vendor_name() const = 0;     // "NVIDIA"
  virtual std::string driver_version() const = 0;  // "13.0"
  /// The environment variable with which the driver hides devices.
  virtual const char* visibility_variable() const = 0;
  virtual std::uint32_t dlpack_device_type() const = 0;

 private:
  CallGate gate_;
};

/// The parts that vendors have in common. The libraries are opened when they are first needed.
template <class OwnApi, class OwnCompiler, class BlasTable, class Management>
class VendorOf : public Vendor {
 public:
  explicit VendorOf(plugin::Host host)
      : own_api_(host),
        compiler_(host, own_api_.version),
        blas_(host, own_api_.version),
        management_(host, own_api_.version) {}

  const Api& api() const override { return own_api_; }
  Compiler& compiler() override { return compiler_; }
  plugin::Allocator::Info memory_info(const DeviceInfo& info) override {
    return management_.get().memory_info(info);
  }

 protected:
  const OwnApi& own_api() const { return own_api_; }
  Lazy<BlasTable>& blas() { return blas_; }

 private:
  const OwnApi own_api_;
  OwnCompiler compiler_;
  Lazy<BlasTable> blas_;
  Lazy<Management> management_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_DEVICE_VENDOR_HPP_
