// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The settings of the fake plugin, read once when it is opened. README.md lists them.
#ifndef PATCHBAY_FAKE_OPTIONS_HPP_
#define PATCHBAY_FAKE_OPTIONS_HPP_

#include <cstdint>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

namespace fake {

namespace plugin = patchbay::plugin;

/// The number that the user set under this name. Throws invalid_argument if it is none.
std::uint64_t number_option(const plugin::Host& host, std::string_view name,
                            std::uint64_t otherwise);

struct Options {
  explicit Options(const plugin::Host& host);

  std::uint32_t devices;
  std::uint64_t memory_bytes;  // of each device
  bool f64, peer;
  bool portable;                  // operators by plugins/common/portable, not by the reference
  std::uint32_t delay_ms;         // how much longer each launch and copy takes
  std::uint64_t workspace_bytes;  // that each kernel asks for and overwrites
};

}  // namespace fake

#endif  // PATCHBAY_FAKE_OPTIONS_HPP_
