// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_PORTABLE_BACKEND_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_PORTABLE_BACKEND_HPP_

#include <memory>
#include <string_view>

#include "kit/portable/backend.hpp"

namespace patchbay::cuda {

class Device;

/// Runs the portable operators on one device with the run-time compiler.
class PortableBackend : public portable::Backend {
 public:
  explicit PortableBackend(Device& device);

  const portable::Traits& traits() const override { return traits_; }
  std::unique_ptr<portable::Program> build(std::string_view text) override;

 private:
  Device& device_;
  portable::Traits traits_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_PORTABLE_BACKEND_HPP_
