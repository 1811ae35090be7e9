// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compiles texts of the portable dialect to images that the driver loads.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_COMPILER_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_KERNELS_COMPILER_HPP_

#include <cstddef>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/api/symbols.hpp"

namespace patchbay::cuda {

/// A compiled text.
struct Image {
  std::string bytes;
  bool is_cached = false;    // whether it comes from the cache
  std::size_t compiler = 0;  // index of the compiler that produced it
};

/// The run-time compilers, and the host's cache of their output. Thread-safe.
class Compiler {
 public:
  Compiler(plugin::Host host, int driver_version) : host_(host), libraries_(host, driver_version) {}

  /// Machine code of that architecture (90: sm_90), or assembly if the compiler is older than the
  /// device. Uses the first compiler that supports it. Throws PATCHBAY_BUILD_FAILED with the
  /// compiler's log, `unsupported` without a compiler.
  Image compile(std::string_view text, int architecture);
  /// Replaces an image that the driver refused: compiles again if it was cached, else uses the next
  /// compiler. Returns false if there is none.
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
