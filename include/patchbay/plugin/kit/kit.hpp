// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The C++ kit for plugin authors: derive from Driver, Device, Allocator, Stream, Event and Kernel,
// then write, once, at namespace scope:
//
//   PATCHBAY_DEFINE_PLUGIN("my-plugin", "mybackend", "1.0", my::Driver)
//
// `static constexpr std::uint64_t kFeatures` in the driver's class: the optional features, as bits.
#ifndef PATCHBAY_PLUGIN_KIT_KIT_HPP_
#define PATCHBAY_PLUGIN_KIT_KIT_HPP_

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/kit/thunks.hpp"

namespace patchbay::plugin::detail {

inline constexpr patchbay_memory_table kMemoryTable = {sizeof(patchbay_memory_table),
                                                       Thunks::allocate,
                                                       Thunks::release,
                                                       Thunks::info,
                                                       Thunks::copy_to_device,
                                                       Thunks::copy_to_host,
                                                       Thunks::copy_on_device,
                                                       Thunks::copy_to_peer,
                                                       Thunks::can_access_peer,
                                                       Thunks::wrap_memory};
inline constexpr patchbay_stream_table kStreamTable = {sizeof(patchbay_stream_table),
                                                       Thunks::create_stream,
                                                       Thunks::destroy<patchbay_stream>,
                                                       Thunks::flush,
                                                       Thunks::synchronize,
                                                       Thunks::stream_wait_event,
                                                       Thunks::add_callback,
                                                       Thunks::wrap_stream};
inline constexpr patchbay_event_table kEventTable = {sizeof(patchbay_event_table),
                                                     Thunks::create_event,
                                                     Thunks::destroy<patchbay_event>,
                                                     Thunks::record,
                                                     Thunks::query,
                                                     Thunks::wait,
                                                     Thunks::elapsed};
inline constexpr patchbay_kernel_table kKernelTable = {
    sizeof(patchbay_kernel_table),    Thunks::prepare,       Thunks::destroy<patchbay_kernel>,
    Thunks::workspace_bytes,          Thunks::launch,        Thunks::load_module,
    Thunks::destroy<patchbay_module>, Thunks::module_kernel, Thunks::launch_grid};

/// DriverT::kFeatures, or 0 if DriverT does not define it.
template <class DriverT>
constexpr std::uint64_t optional_features() {
  if constexpr (requires { DriverT::kFeatures; }) {
    return DriverT::kFeatures;
  } else {
    return 0;
  }
}

template <class DriverT, std::size_t N, std::size_t B, std::size_t V>
constexpr patchbay_plugin make_plugin(const char (&name)[N], const char (&backend)[B],
                                      const char (&version)[V]) {
  return {sizeof(patchbay_plugin),
          PATCHBAY_ABI_MAJOR,
          PATCHBAY_ABI_MINOR,
          0,
          optional_features<DriverT>(),
          {name, N - 1},
          {backend, B - 1},
          {version, V - 1},
          Thunks::feature_name,
          Thunks::open<DriverT>,
          Thunks::destroy<patchbay_driver>,
          Thunks::get_extension,
          Thunks::enumerate,
          Thunks::open_device,
          Thunks::destroy<patchbay_device>,
          Thunks::native_handle,
          &kMemoryTable,
          &kStreamTable,
          &kEventTable,
          &kKernelTable,
          Thunks::get_device_extension};
}

}  // namespace patchbay::plugin::detail

#define PATCHBAY_DEFINE_PLUGIN(name, backend, version, DriverT)                 \
  PATCHBAY_PLUGIN_NOTE(name, backend);                                          \
  PATCHBAY_PLUGIN_EXPORT const patchbay_plugin* patchbay_plugin_v1(void) {      \
    static constexpr patchbay_plugin kPlugin =                                  \
        patchbay::plugin::detail::make_plugin<DriverT>(name, backend, version); \
    return &kPlugin;                                                            \
  }                                                                             \
  static_assert(true, "takes the semicolon")

#endif  // PATCHBAY_PLUGIN_KIT_KIT_HPP_
