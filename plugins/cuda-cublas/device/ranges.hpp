// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// NVTX: what a profiler (Nsight) shows of the program. It loads no library of NVIDIA's but the
// profiler's own, as the header-only NVTX 3 does.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_RANGES_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_RANGES_HPP_

#include "patchbay/plugin/kit/host.hpp"

#include "kit/card/api/range_calls.hpp"

namespace patchbay::cuda {

class Ranges {
 public:
  /// Without a profiler, or if it does not start, there are no calls, and the log says why.
  Ranges(plugin::Host host, int driver_version);

  card::RangeCalls calls() const { return calls_; }

 private:
  card::RangeCalls calls_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_RANGES_HPP_
