// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The interface that a plugin with a run-time compiler implements to run portable operators.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_BACKEND_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_BACKEND_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/base/arguments.hpp"

namespace patchbay::portable {

/// The properties of a device on which the operators depend.
struct Traits {
  std::string name;  // the device's name, for messages
  /// True if work-items are threads with large caches: each should do much work on neighbouring
  /// elements. Otherwise neighbouring work-items should access neighbouring elements.
  bool is_cpu = false;
  bool has_f64 = true;
  bool has_vectors = false;     // texts are OpenCL C, and vectors make them faster
  bool divides_exactly = true;  // quotients and roots of f32 are correctly rounded
  std::int64_t vector_bytes = 16;
  std::int64_t compute_units = 1;
  /// What an accelerator's work-item reads or writes at once (PATCHBAY_PACK_OF): 16, or 1 if the
  /// compiler can't do it.
  std::int64_t pack_bytes = 16;
  /// So many elements of that size.
  std::int64_t pack_of(std::size_t element_bytes) const {
    return std::max<std::int64_t>(pack_bytes / static_cast<std::int64_t>(element_bytes), 1);
  }
  /// Work-items that can pass values to each other without memory (PATCHBAY_SHUFFLE_DOWN): a power
  /// of 2, or 1 if the device has no such groups.
  std::int64_t sub_group_width = 1;
  /// Whether a group may have 48 KiB of local memory, as on most GPUs. With less, texts use half as
  /// much.
  bool has_large_groups = true;
  /// Whether kernels may take the addresses of buffers in values (Arguments::addresses).
  bool has_addresses = false;
  /// The most that a kernel's parameters may have. OpenCL devices have at least 1024.
  std::int64_t argument_bytes = 1024;
  /// The most work-items along an axis of a grid.
  std::uint64_t most_items = std::numeric_limits<std::uint64_t>::max();
  /// The work-items of each of so many groups: `wanted`, or half of it and so on down to 1 if the
  /// grid would have more than most_items.
  std::uint64_t group_of(std::uint64_t num_groups, std::uint64_t wanted) const {
    while (wanted > 1 && num_groups > most_items / wanted) wanted /= 2;
    return wanted;
  }
};

/// The number of work-items along each axis, and the size of a group. A function rounds the items
/// up to whole groups, so texts must ignore the extra ones. A group has at most 256 work-items, and
/// no more than the function allows.
struct Grid {
  std::array<std::uint64_t, 3> items{1, 1, 1};
  std::array<std::uint64_t, 3> group{1, 1, 1};
};

/// A kernel of a program. Destroyed before its program; may be launched from several streams and
/// threads at once.
class Function {
 public:
  virtual ~Function() = default;
  /// The largest number of work-items in a group of this function.
  virtual std::uint64_t max_group_size() const { return 256; }
  /// Queues a launch; the arguments are read before the call returns. Errors and traces call it
  /// `name`. The stream belongs to the same plugin.
  virtual void launch(plugin::Stream& stream, std::string_view name, const Grid& grid,
                      const Arguments& arguments) = 0;
};

/// A compiled text: returns its function of that name. It keeps the text alive.
using Program = std::function<std::unique_ptr<Function>(std::string_view name)>;

/// A device. It must outlive the kernels that are prepared on it.
class Backend {
 public:
  /// Compiles plugin/kernels/dialect.h + `text`, or takes the compiled text from the host's cache.
  /// Throws PATCHBAY_BUILD_FAILED with the compiler's log.
  using Build = std::function<Program(std::string_view text)>;

  Backend(Traits traits, Build build) : traits_(std::move(traits)), build_(std::move(build)) {}

  const Traits& traits() const { return traits_; }
  Program build(std::string_view text) const { return build_(text); }

 private:
  const Traits traits_;
  const Build build_;
};

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_BACKEND_HPP_
