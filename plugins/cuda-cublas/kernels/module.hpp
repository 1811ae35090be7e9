// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_MODULE_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_MODULE_HPP_

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/kernels/program.hpp"

namespace patchbay::cuda {

/// Users' kernels.
class Module : public plugin::Module {
 public:
  explicit Module(Program program) : program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override;

 private:
  const Program program_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_MODULE_HPP_
