// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/plugin/kit/kit.hpp"

#include "cuda-cublas/device/driver.hpp"

PATCHBAY_PLUGIN_SETTINGS("cuda_library cuda_rtc_library cuda_blas_library");
PATCHBAY_DEFINE_PLUGIN("cuda-cublas", "cuda", "0.1", patchbay::cuda::Driver);
