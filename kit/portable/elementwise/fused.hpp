// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused elementwise expressions: modules of the format PATCHBAY_FORMAT_EXPRESSION.
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_FUSED_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_FUSED_HPP_

#include <memory>
#include <string_view>

#include "kit/expression/program.hpp"
#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

/// Throws invalid_argument for a wrong program, `unsupported` if the device can't run it.
std::unique_ptr<plugin::Module> load_fused(Backend& backend, std::string_view code);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_FUSED_HPP_
