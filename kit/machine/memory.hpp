// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The host memory that this process may use, and the control groups that limit its resources.
#ifndef PATCHBAY_KIT_MACHINE_MEMORY_HPP_
#define PATCHBAY_KIT_MACHINE_MEMORY_HPP_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::machine {

/// The control group that limits one resource of this process.
struct ControlGroup {
  int version;
  std::vector<std::string> folders;  // the group, then its parents up to the mount
};

/// `controller`: "cpu" or "memory". `root` is only set by tests.
std::vector<ControlGroup> control_groups(const std::string& root, std::string_view controller);

struct MemoryState {
  std::uint64_t free_bytes, total_bytes;  // 0 if the kernel does not tell
};
/// The machine's memory, or that of the control group if it is less. `root` is only set by tests.
MemoryState read_memory_state(const std::string& root = "");

}  // namespace patchbay::machine

#endif  // PATCHBAY_KIT_MACHINE_MEMORY_HPP_
