// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The vendor's libraries, opened at run time. None is taken out of memory again: they keep threads.
#ifndef PATCHBAY_PLUGINS_CUDA_SYMBOLS_HPP_
#define PATCHBAY_PLUGINS_CUDA_SYMBOLS_HPP_

#include <string>

#include "patchbay/plugin/kit/host.hpp"

#include "blas_api.hpp"
#include "driver_api.hpp"
#include "rtc_api.hpp"

namespace patchbay::cuda {

/// A function of a library and the name that messages give it.
template <class Function>
struct Entry;
template <class... Parameters>
struct Entry<int(Parameters...)> {
  const char* name;
  int (*function)(Parameters...) = nullptr;

  int operator()(Parameters... arguments) const { return function(arguments...); }
};

#define PATCHBAY_TABLE_ENTRY(member, symbol, parameters) \
  Entry<int parameters> member{#symbol, nullptr};

struct DriverTable {
  /// Opens the option cuda_library, else libcuda.so.1. Throws PATCHBAY_NO_DRIVER with the reason,
  /// also for a driver that is too old.
  explicit DriverTable(plugin::Host host);

  int version = 0;  // 1000 * major + 10 * minor
  PATCHBAY_DRIVER_ENTRIES(PATCHBAY_TABLE_ENTRY)
};

/// These two throw `unsupported` with the reason and what to install.
struct RtcTable {
  RtcTable(plugin::Host host, int driver_version);

  PATCHBAY_RTC_ENTRIES(PATCHBAY_TABLE_ENTRY)
};

struct BlasTable {
  BlasTable(plugin::Host host, int driver_version);

  PATCHBAY_BLAS_ENTRIES(PATCHBAY_TABLE_ENTRY)
};

#undef PATCHBAY_TABLE_ENTRY

/// "13.0" of 13000.
std::string version_text(int version);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_SYMBOLS_HPP_
