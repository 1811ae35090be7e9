// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernels of a device.
#ifndef PATCHBAY_KIT_CARD_KERNELS_KERNELS_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_KERNELS_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/kernels/program.hpp"
#include "kit/portable/backend.hpp"

namespace patchbay::card {

class Device;

/// Runs the portable operators with the run-time compiler.
portable::Backend make_backend(Device& device);

/// The portable kernel of `op`, which is a step of the spec's operator. It writes argument 0 and
/// reads argument `input` of the spec, of any rank.
std::unique_ptr<plugin::Kernel> prepare_step(portable::Backend& backend,
                                             const patchbay_kernel_spec& spec, std::string_view op,
                                             std::size_t input,
                                             std::uint64_t workspace_limit_bytes);

/// gemm.1 of floats with the BLAS library. Null for other specs, or if there is no library.
std::unique_ptr<plugin::Kernel> prepare_gemm(Device& device, const patchbay_kernel_spec& spec);

/// Convolutions of floats by products of that library. Null for other specs, if there is no
/// library, or if the spec's workspace is too small.
std::unique_ptr<plugin::Kernel> prepare_convolution(Device& device, portable::Backend& backend,
                                                    const patchbay_kernel_spec& spec);

/// linear.1 by the vendor's library for products with a bias. Null for other specs and f64, or if
/// there is no library.
std::unique_ptr<plugin::Kernel> prepare_linear(Device& device, portable::Backend& backend,
                                               const patchbay_kernel_spec& spec);

/// attention.1 of 16-bit floats by the vendor's library for network operators. Null for other
/// specs, or if there is no library.
std::unique_ptr<plugin::Kernel> prepare_attention(Device& device, const patchbay_kernel_spec& spec);

/// Makes a module of users' kernels.
std::unique_ptr<plugin::Module> make_module(Program program);

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_KERNELS_HPP_
