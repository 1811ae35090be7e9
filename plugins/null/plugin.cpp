// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "driver.hpp"

// The names of your settings, separated by blanks: "null_devices null_library".
PATCHBAY_PLUGIN_SETTINGS("");
PATCHBAY_DEFINE_PLUGIN("null", "null", "0.1", null::Driver);
