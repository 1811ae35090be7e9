// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused elementwise expressions, element by element, with the operators of this plugin.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_FUSED_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_FUSED_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

namespace fake {

namespace plugin = patchbay::plugin;

class Device;

/// A module of the format PATCHBAY_FORMAT_EXPRESSION.
std::unique_ptr<plugin::Module> load_fused(Device& device, std::string_view code);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_FUSED_HPP_
