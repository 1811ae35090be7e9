// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DEVICE_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DEVICE_HPP_

#include <memory>

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/device/allocator.hpp"
#include "cuda-cublas/device/context.hpp"
#include "cuda-cublas/device/device_info.hpp"
#include "cuda-cublas/kernels/blas.hpp"
#include "cuda-cublas/kernels/compiler.hpp"
#include "cuda-cublas/kernels/kernels.hpp"
#include "cuda-cublas/kernels/program.hpp"

namespace patchbay::cuda {

/// The libraries that all devices share. The driver owns them.
struct Libraries {
  explicit Libraries(plugin::Host host)
      : driver(host), compiler(host, driver.version), blas(host, driver.version) {}

  const DriverTable driver;
  Compiler compiler;
  Lazy<BlasTable> blas;
};

class Device : public plugin::Device {
 public:
  /// Uses the device's primary context unless `adopted` is one of the application's.
  Device(Libraries& libraries, const DeviceInfo& info, std::uint32_t index, NativeContext adopted);

  plugin::Allocator& allocator() override { return allocator_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  bool can_access_peer(plugin::Device& other) override;
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override;

  const DeviceInfo& info() const { return info_; }
  Context& context() { return context_; }
  Blas& blas() { return blas_; }
  /// Compiles and loads a text of the dialect.
  Program build(std::string_view text);

 private:
  Libraries& libraries_;
  const DeviceInfo& info_;
  Context context_;
  Allocator allocator_;
  Blas blas_;
  portable::Backend portable_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DEVICE_HPP_
