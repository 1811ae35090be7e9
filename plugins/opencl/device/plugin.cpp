// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "opencl/device/driver.hpp"

PATCHBAY_PLUGIN_SETTINGS("opencl_library opencl_gemm");
PATCHBAY_DEFINE_PLUGIN("opencl", "opencl", "0.1", patchbay::opencl::Driver);
