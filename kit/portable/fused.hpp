// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused elementwise expressions: a text in the dialect made from the program.
#ifndef PATCHBAY_KIT_PORTABLE_FUSED_HPP_
#define PATCHBAY_KIT_PORTABLE_FUSED_HPP_

#include <memory>
#include <string>
#include <string_view>

#include "kit/expression/program.hpp"
#include "kit/portable/backend.hpp"

namespace patchbay::portable {

/// A module of the format PATCHBAY_FORMAT_EXPRESSION. Throws invalid_argument for a program that
/// is wrong, `unsupported` for what the device can't do.
std::unique_ptr<plugin::Module> load_fused(Backend& backend, std::string_view code);

/// The kernels `dense` and `strided`; INDEX (which counts elements) and CHUNK (how many a work-item
/// of `strided` takes of the last dimension) are to be defined before.
std::string fused_text(const expression::Program& program);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_FUSED_HPP_
