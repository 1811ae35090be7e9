// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From a text of the portable dialect to what the driver loads.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_COMPILER_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_COMPILER_HPP_

#include <cstddef>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/api/symbols.hpp"

namespace patchbay::cuda {

/// What a compiler made of a text.
struct Image {
  std::string bytes;
  bool is_cached = false;    // it was made by an earlier call
  std::size_t compiler = 0;  // which of those installed made it
};

/// The run-time compilers, and the host's cache of what they made. Thread-safe.
class Compiler {
 public:
  Compiler(plugin::Host host, int driver_version) : host_(host), libraries_(host, driver_version) {}

  /// Machine code of that architecture (90: sm_90), or assembly if the compiler is older than the
  /// device, by the first compiler that makes any. Throws PATCHBAY_BUILD_FAILED with the compiler's
  /// log, `unsupported` without a compiler.
  Image compile(std::string_view text, int architecture);
  /// Another image of the same text, for a driver that refused this one: a cached one is made anew,
  /// then the next compiler has its turn. False if there is none.
  bool compile_again(std::string_view text, int architecture, Image& refused);

 private:
  struct Choice;
  bool choose(int architecture, std::size_t first, Choice& choice);
  Image make(const Choice& choice, std::string_view text, bool may_be_cached);

  const plugin::Host host_;
  RtcLibraries libraries_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_COMPILER_HPP_
