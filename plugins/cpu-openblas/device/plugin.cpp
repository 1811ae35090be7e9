// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "cpu-openblas/device/driver.hpp"

PATCHBAY_PLUGIN_SETTINGS(
    "cpu_convolutions cpu_devices cpu_packed_mb cpu_threads cpu_products cpu_simd kernel_compiler "
    "kernel_compiler_timeout_s onednn_path openblas_path");
PATCHBAY_DEFINE_PLUGIN("cpu-openblas", "cpu", "0.1", patchbay::cpu::Driver);
