// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// ROCTx: what a profiler (rocprof, rocprofv3) shows of the program.
#include <string>
#include <vector>

#include "hip/api/ranges_api.hpp"
#include "hip/api/toolkit.hpp"
#include "hip/device/vendor.hpp"
#include "kit/library/library.hpp"

namespace patchbay::hip {
namespace {

/// The library of ROCprofiler-SDK, then the older one of ROCTracer. A profiler has loaded its own.
std::vector<std::string> files() {
  std::vector<std::string> result = companion_files("rocprofiler-sdk-roctx", {1, 0});
  for (std::string& file : companion_files("roctx64", {4})) result.push_back(std::move(file));
  return result;
}

}  // namespace

card::RangeCalls Vendor::find_range_calls(plugin::Host host) {
  Library library =
      card::library_of(host, "hip_ranges_library", files(), &Library::loaded_or_first_of);
  card::RangeCalls found;
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(#symbol, found.member);
  PATCHBAY_ROCTX_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  if (library.is_complete()) return found;
  host.log(PATCHBAY_LOG_INFO, "no ranges: " + library.why());
  return {};
}

}  // namespace patchbay::hip
