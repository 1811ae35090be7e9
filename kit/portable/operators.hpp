// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators of docs/plugin-abi.md, implemented once in the portable dialect.
#ifndef PATCHBAY_KIT_PORTABLE_OPERATORS_HPP_
#define PATCHBAY_KIT_PORTABLE_OPERATORS_HPP_

#include <memory>

#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

/// The kernel for a spec, or null if the operator is not portable. Throws `unsupported` with the
/// reason if the operator can't be prepared for these arguments on this device. A plugin asks its
/// vendor's libraries first.
std::unique_ptr<plugin::Kernel> prepare(Backend& backend, const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_OPERATORS_HPP_
