// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From a text of the portable dialect to what the driver loads.
#ifndef PATCHBAY_PLUGINS_CUDA_COMPILER_HPP_
#define PATCHBAY_PLUGINS_CUDA_COMPILER_HPP_

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

#include "lazy.hpp"
#include "symbols.hpp"

namespace patchbay::cuda {

/// The run-time compiler, and the host's cache of what it made. Thread-safe.
class Compiler {
 public:
  Compiler(plugin::Host host, int driver_version) : host_(host), library_(host, driver_version) {}

  /// Machine code of that architecture (90: sm_90), or assembly if the compiler is older than the
  /// device. Throws PATCHBAY_BUILD_FAILED with the compiler's log, `unsupported` without a
  /// compiler.
  std::string compile(std::string_view text, int architecture);

 private:
  const plugin::Host host_;
  Lazy<RtcTable> library_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_COMPILER_HPP_
