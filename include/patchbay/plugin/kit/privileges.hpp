// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Raised privileges (set-uid, file capabilities): the caller's environment must not be trusted.
#ifndef PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_
#define PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_

#include <sys/auxv.h>
#include <unistd.h>

#include <string>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {

/// True if the process has privileges that its caller does not have, or has given up some and may
/// take them back: its real, effective and saved user or group differ now.
inline bool has_raised_privileges() {
  uid_t user = 0, effective_user = 0, saved_user = 0;
  gid_t group = 0, effective_group = 0, saved_group = 0;
  getresuid(&user, &effective_user, &saved_user);
  getresgid(&group, &effective_group, &saved_group);
  return getauxval(AT_SECURE) != 0 || user != effective_user || user != saved_user ||
         group != effective_group || group != saved_group;
}

/// For drivers that open libraries or write files at paths from environment variables, which a
/// plugin can't prevent. Call it before opening the driver's library. `driver` is its name,
/// `variables` are examples. Throws PATCHBAY_NO_DRIVER with that reason.
inline void refuse_raised_privileges(const std::string& driver, const std::string& variables) {
  if (!has_raised_privileges()) return;
  throw StatusError(PATCHBAY_NO_DRIVER,
                    "this process has raised privileges, and " + driver +
                        " opens libraries or writes files at paths from the caller's variables (" +
                        variables + ")");
}

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_
