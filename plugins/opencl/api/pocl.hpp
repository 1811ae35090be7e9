// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the ICD loader opens, and what PoCL needs of the process and its surroundings. Where
// something is missing PoCL 3.1 does not return an error but ends the process, so it is looked for
// before PoCL is called.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_POCL_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_POCL_HPP_

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace patchbay::opencl {

/// Throws PATCHBAY_NO_DRIVER if the ICD loader would open what is no regular file, such as a FIFO,
/// for which it would wait.
void check_driver_files();

/// Throws PATCHBAY_NO_DEVICE if the ICD loader must not load PoCL.
void check_pocl_may_be_loaded();

/// Why PoCL must not be asked for its devices; empty if it may be.
std::string why_not_ask_pocl();

/// Why PoCL has no device, as far as its cache directory tells; empty if that may be written.
std::string why_pocl_has_no_device();

/// The directory of compiled kernels, by PoCL's rules; empty if the process has raised privileges.
std::string pocl_directory();

/// Throws if PoCL can't compile a kernel now: it runs the linker `ld` and waits for it, and writes
/// to its directory. Takes about 0.2 ms.
void check_pocl_can_compile();

/// Whether PoCL compiles a kernel again for each size of groups: unless
/// POCL_WORK_GROUP_SPECIALIZATION is 0.
bool pocl_specialises();

/// The shapes of the launches of a kernel so far: PoCL compiles it again for each size of groups,
/// and for grids below and above a limit. Thread-safe.
class PoclShapes {
 public:
  using Extents = std::array<std::uint64_t, 3>;

  /// For a new shape the same as check_pocl_can_compile. `items`: of the grid, along each axis.
  void check(const Extents& group, const Extents& items);

 private:
  struct Shape {
    Extents group;
    bool is_small;
    bool operator==(const Shape&) const = default;
  };

  std::mutex mutex_;
  std::vector<Shape> known_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_POCL_HPP_
