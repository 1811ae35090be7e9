// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The control groups that limit the resources of this process.
#ifndef PATCHBAY_KIT_MACHINE_CONTROL_GROUP_HPP_
#define PATCHBAY_KIT_MACHINE_CONTROL_GROUP_HPP_

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

}  // namespace patchbay::machine

#endif  // PATCHBAY_KIT_MACHINE_CONTROL_GROUP_HPP_
