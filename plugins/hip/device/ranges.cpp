// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/device/ranges.hpp"

#include <string>
#include <vector>

#include "hip/api/ranges_api.hpp"
#include "hip/api/toolkit.hpp"
#include "kit/library/library.hpp"

namespace patchbay::hip {
namespace {

/// The library of ROCprofiler-SDK, then the older one of ROCTracer.
std::vector<std::string> files() {
  std::vector<std::string> result = toolkit_files("rocprofiler-sdk-roctx", {1, 0});
  for (std::string& file : toolkit_files("roctx64", {4})) result.push_back(std::move(file));
  return result;
}

}  // namespace

Ranges::Ranges(plugin::Host host, int) {
  const auto path = host.option("hip_ranges_library");
  Library library =
      Library::first_of(path ? std::vector{*path} : files(), Library::Lifetime::kProcess);
  card::RangeCalls found;
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(#symbol, found.member);
  PATCHBAY_ROCTX_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  if (library.is_complete()) {
    calls_ = found;
  } else {
    host.log(PATCHBAY_LOG_INFO, "no ranges: " + library.why());
  }
}

}  // namespace patchbay::hip
