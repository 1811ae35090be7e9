// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_GEMM_HPP_
#define PATCHBAY_KIT_PORTABLE_GEMM_HPP_

#include <cstdint>
#include <memory>

#include "kit/portable/backend.hpp"

namespace patchbay::portable {

/// Multiplies by square tiles in shared memory. Works on every device, but is not fast.
class GemmKernel : public plugin::Kernel {
 public:
  GemmKernel(Backend& backend, std::uint8_t dtype);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  const std::size_t element_bytes_;
  std::int64_t tile_;  // elements along a tile's side
  std::unique_ptr<Program> program_;
  std::unique_ptr<Function> gemm_;
};

/// For an operator of this family. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_gemm(Backend& backend, const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_GEMM_HPP_
