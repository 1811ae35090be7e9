// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernels of a device.
#ifndef PATCHBAY_KIT_CARD_KERNELS_KERNELS_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_KERNELS_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/context.hpp"
#include "kit/card/context/device_info.hpp"
#include "kit/card/kernels/dnn_library.hpp"
#include "kit/card/kernels/layers.hpp"
#include "kit/card/kernels/products.hpp"
#include "kit/card/kernels/program.hpp"
#include "kit/portable/base/backend.hpp"

namespace patchbay::card {

/// What the kernels of a device are made from.
struct KernelParts {
  plugin::Host host;
  const DeviceInfo& info;
  Products& products;
  DnnLibrary* dnn;  // null if the vendor's is not used
  Layers* layers;   // likewise
  portable::Backend& portable;
};

/// Runs the portable operators with `build`, which compiles and loads a text of the dialect.
portable::Backend make_backend(const DeviceInfo& info, const Context& context,
                               std::function<Program(std::string_view)> build);

/// The portable kernel of `op`, which is a step of the spec's operator. It writes argument 0 and
/// reads argument `input` of the spec, of any rank.
std::unique_ptr<plugin::Kernel> prepare_step(portable::Backend& backend,
                                             const patchbay_kernel_spec& spec, std::string_view op,
                                             std::size_t input,
                                             std::uint64_t workspace_limit_bytes);

/// gemm.1 of floats with the BLAS library. Null for other specs, or if there is no library.
std::unique_ptr<plugin::Kernel> prepare_gemm(const KernelParts& parts,
                                             const patchbay_kernel_spec& spec);

/// Convolutions of floats by products of that library. Null for other specs, if there is no
/// library, or if the spec's workspace is too small.
std::unique_ptr<plugin::Kernel> prepare_convolution(const KernelParts& parts,
                                                    const patchbay_kernel_spec& spec);

/// linear.1 by the vendor's library for products with a bias. Null for other specs and f64, or if
/// there is no library.
std::unique_ptr<plugin::Kernel> prepare_linear(const KernelParts& parts,
                                               const patchbay_kernel_spec& spec);

/// attention.1 of 16-bit floats by the vendor's library for network operators. Null for other
/// specs, or if there is no library.
std::unique_ptr<plugin::Kernel> prepare_attention(const KernelParts& parts,
                                                  const patchbay_kernel_spec& spec);

/// Makes a module of users' kernels.
std::unique_ptr<plugin::Module> make_module(Program program);

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_KERNELS_HPP_
