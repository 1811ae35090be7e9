// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_API_PROCESSORS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_PROCESSORS_HPP_

#include <string>

namespace patchbay::opencl {

/// Why a platform of this name must not be asked for its devices; empty if it may be. PoCL ends the
/// process if the kernel does not list the processors.
std::string why_not_ask(const std::string& platform);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_PROCESSORS_HPP_
