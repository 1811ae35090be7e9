// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// ROCTx: what a profiler (rocprof, rocprofv3) shows of the program.
#ifndef PATCHBAY_PLUGINS_HIP_DEVICE_RANGES_HPP_
#define PATCHBAY_PLUGINS_HIP_DEVICE_RANGES_HPP_

#include "patchbay/plugin/kit/host.hpp"

#include "kit/card/api/range_calls.hpp"

namespace patchbay::hip {

class Ranges {
 public:
  /// Without a profiler, or if it does not start, there are no calls, and the log says why.
  Ranges(plugin::Host host, int driver_version);

  card::RangeCalls calls() const { return calls_; }

 private:
  card::RangeCalls calls_;
};

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_DEVICE_RANGES_HPP_
