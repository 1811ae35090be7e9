// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/version.h"

#include "patchbay/plugin/abi.h"

#define PATCHBAY_TEXT_OF(value) #value
#define PATCHBAY_TEXT(value) PATCHBAY_TEXT_OF(value)

namespace patchbay {

std::string_view version() {
  return PATCHBAY_TEXT(PATCHBAY_VERSION_MAJOR) "." PATCHBAY_TEXT(
      PATCHBAY_VERSION_MINOR) "." PATCHBAY_TEXT(PATCHBAY_VERSION_PATCH);
}

std::string_view plugin_abi_version() {
  return PATCHBAY_TEXT(PATCHBAY_ABI_MAJOR) "." PATCHBAY_TEXT(PATCHBAY_ABI_MINOR);
}

}  // namespace patchbay
