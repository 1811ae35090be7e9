// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_COMPILER_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_COMPILER_HPP_

#include <memory>
#include <string>
#include <vector>

#include "kit/card/kernels/compiler.hpp"

namespace patchbay::cuda {

/// NVRTC. It makes machine code for "sm_90", or assembly if it is older than the device.
class Compiler : public card::Compiler {
 public:
  Compiler(plugin::Host host, int driver_version)
      : card::Compiler(host, {"NVRTC", "cuda_rtc_library", "cuda", "--ftz=true"}),
        driver_version_(driver_version) {}

 protected:
  std::vector<std::string> candidates() const override;
  std::unique_ptr<card::Rtc> open(Library& library) const override;

 private:
  const int driver_version_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_COMPILER_HPP_
