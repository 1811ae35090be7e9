// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Entries of the driver that the plugin never calls: an application's own.
#ifndef PATCHBAY_TESTS_SIM_CUDA_APPLICATION_ENTRIES_H_
#define PATCHBAY_TESTS_SIM_CUDA_APPLICATION_ENTRIES_H_

#include "cuda-cublas/api/driver_api.hpp"

// As PATCHBAY_CUDA_OWN_ENTRIES.
// clang-format off
#define PATCHBAY_SIM_APPLICATION_ENTRIES(entry) \
  entry(context_create, cuCtxCreate_v2, (patchbay::card::NativeContext*, unsigned flags, \
        patchbay::card::DeviceNumber)) \
  entry(context_destroy, cuCtxDestroy_v2, (patchbay::card::NativeContext)) \
  entry(pool_allocate, cuMemAllocAsync, (patchbay::card::Address*, std::size_t bytes, \
        patchbay::card::NativeStream)) \
  entry(stream_priority, cuStreamGetPriority, (patchbay::card::NativeStream, int* priority)) \
  entry(call_host, cuLaunchHostFunc, (patchbay::card::NativeStream, void (*call)(void*), void*))
// clang-format on

#endif  // PATCHBAY_TESTS_SIM_CUDA_APPLICATION_ENTRIES_H_
