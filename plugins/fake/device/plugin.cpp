// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "fake/device/driver.hpp"

// README.md describes them.
PATCHBAY_PLUGIN_SETTINGS(
    "fake_delay_ms fake_devices fake_endless_launch fake_endless_until_launch fake_f64 "
    "fake_fail_allocate fake_fail_async_launch fake_fail_copy fake_fail_create_event "
    "fake_fail_create_stream fake_fail_enumerate fake_fail_launch fake_fail_open_device "
    "fake_fail_prepare fake_fusion fake_late_us fake_link_bytes_per_s fake_lose_device "
    "fake_lose_device_async "
    "fake_memory_bytes fake_open fake_out_of_memory fake_pageable_blocks fake_peer fake_peers "
    "fake_seed fake_sub_group_width "
    "fake_unnamed_faults fake_workspace_bytes kernel_compiler "
    "kernel_compiler_timeout_s");
PATCHBAY_DEFINE_PLUGIN("fake", "fake", "0.1", fake::Driver);
