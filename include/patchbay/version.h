// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_VERSION_H_
#define PATCHBAY_VERSION_H_

#include <string_view>

#include "patchbay/export.h"

#define PATCHBAY_VERSION_MAJOR 0
#define PATCHBAY_VERSION_MINOR 1
#define PATCHBAY_VERSION_PATCH 0

namespace patchbay {

/// The version of the library at run time: "0.1.0".
PATCHBAY_API std::string_view version();
/// The version of the plugin boundary, as "1.0". Plugins of the same major version load.
PATCHBAY_API std::string_view plugin_abi_version();

}  // namespace patchbay

#endif  // PATCHBAY_VERSION_H_
