// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Raised privileges (set-uid, file capabilities): variables of the caller's must decide nothing.
#ifndef PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_
#define PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_

#include <sys/auxv.h>

#include <string>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {

/// True if the process runs with privileges that its caller does not have.
inline bool has_raised_privileges() { return getauxval(AT_SECURE) != 0; }

/// For drivers that open libraries or write files where variables say, which nobody can keep them
/// from. Call it before the driver's library is opened. `driver` names it, `variables` are
/// examples. Throws PATCHBAY_NO_DRIVER with that reason.
inline void refuse_raised_privileges(const std::string& driver, const std::string& variables) {
  if (!has_raised_privileges()) return;
  throw StatusError(PATCHBAY_NO_DRIVER,
                    "this process has raised privileges, and " + driver +
                        " opens libraries or writes files where variables of the caller say (" +
                        variables + ")");
}

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_PRIVILEGES_HPP_
