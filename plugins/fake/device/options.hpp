// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The settings of the fake plugin, read once when it is opened. README.md lists them.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_OPTIONS_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_OPTIONS_HPP_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kit/device/device.hpp"

namespace fake {

namespace plugin = patchbay::plugin;

/// The number that the user set under this name. Throws invalid_argument if it is not a number.
std::uint64_t number_option(const plugin::Host& host, std::string_view name,
                            std::uint64_t otherwise);

/// A range of call numbers: "3", "3-5", or "3-" for all from the third. Empty if first is 0.
struct Window {
  std::uint64_t first = 0, last = 0;
  bool has(std::uint64_t number) const { return first != 0 && first <= number && number <= last; }
};
/// Empty if the user set nothing. Throws invalid_argument if the text is not a window.
Window window_option(const plugin::Host& host, const std::string& name);

struct Options {
  explicit Options(const plugin::Host& host);

  /// The options of the kit's device.
  patchbay::device::Options of_device(std::uint32_t index) const;
  /// Whether `from` can copy to `to` directly.
  bool reaches(std::uint32_t from, std::uint32_t to) const;
  /// Whether it can copy directly to any other device.
  bool has_peers(std::uint32_t from) const;

  std::uint32_t devices;
  std::uint64_t memory_bytes;  // of each device
  bool f64, peer;
  bool blocks_on_pageable;  // whether copies of pageable host memory block
  std::optional<std::set<std::pair<std::uint32_t, std::uint32_t>>> peers;  // pairs (from, to)
  bool fuses;                      // whether fused expressions are loaded
  std::uint32_t sub_group_width;   // that portable operators see
  std::uint32_t delay_ms;          // additional time of each launch and copy
  std::uint32_t late_us;           // largest delay of work whose order allows it; 0: none
  std::uint64_t seed;              // of the delays
  std::uint64_t link_bytes_per_s;  // of links to the host and peers; 0: unlimited
  std::uint64_t workspace_bytes;   // additional workspace of each kernel, which it overwrites
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_OPTIONS_HPP_
