// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a plugin with a run-time compiler implements, so that the portable operators run on it.
#ifndef PATCHBAY_KIT_PORTABLE_BACKEND_HPP_
#define PATCHBAY_KIT_PORTABLE_BACKEND_HPP_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/arguments.hpp"

namespace patchbay::portable {

/// What the operators want to know of a device.
struct Traits {
  std::string name;  // of the device, for messages
  /// Work-items are threads with large caches, which want much work each and neighbouring elements
  /// in one work-item; else neighbouring work-items want neighbouring elements.
  bool is_cpu = false;
  bool has_f64 = true;
  bool has_vectors = false;     // the texts are OpenCL C, and its vectors are worth their while
  bool divides_exactly = true;  // a quotient and a root of f32 are correctly rounded as they are
  std::int64_t vector_bytes = 16;
  std::int64_t compute_units = 1;
};

/// Work-items along each axis, and how many of them make a group. A function rounds the items up to
/// whole groups: the texts check for the ones too many. A group has at most 256 work-items, and no
/// more than the function allows.
struct Grid {
  std::array<std::uint64_t, 3> items{1, 1, 1};
  std::array<std::uint64_t, 3> group{1, 1, 1};
};

/// A kernel of a program. Goes before its program, and may be launched from several streams and
/// threads at once.
class Function {
 public:
  virtual ~Function() = default;
  /// The most work-items that a group of it may have.
  virtual std::uint64_t max_group_size() const { return 256; }
  /// Queued; the arguments are read before the call returns. `name` is what errors and traces call
  /// it. The stream is one of the plugin's own.
  virtual void launch(plugin::Stream& stream, std::string_view name, const Grid& grid,
                      const Arguments& arguments) = 0;
};

/// A compiled text.
class Program {
 public:
  virtual ~Program() = default;
  virtual std::unique_ptr<Function> function(std::string_view name) = 0;
};

/// A device. Lives as long as the kernels that were prepared on it.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Traits& traits() const = 0;
  /// Compiles plugin/kernels/dialect.h + `text`, or finds in the host's cache what an earlier call
  /// compiled. Throws PATCHBAY_BUILD_FAILED with the compiler's log.
  virtual std::unique_ptr<Program> build(std::string_view text) = 0;
};

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BACKEND_HPP_
