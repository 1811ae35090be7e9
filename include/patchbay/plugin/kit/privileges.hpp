// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Raised privileges (set-uid, file capabilities): the caller's environment must not be trusted.
#ifndef PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_
#define PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_

#include <sys/auxv.h>

#include <string>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {

/// True if the process has privileges that its caller does not have.
inline bool has_raised_privileges() { return getauxval(AT_SECURE) != 0; }

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
