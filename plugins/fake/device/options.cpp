// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/options.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace fake {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Removes a number from the front of `text` and returns it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

std::uint64_t bounded_option(const plugin::Host& host, std::string_view name,
                             std::uint64_t otherwise, std::uint64_t most) {
  const std::uint64_t number = number_option(host, name, otherwise);
  if (number > most) {
    plugin::refuse_setting(name, "at most " + std::to_string(most), std::to_string(number));
  }
  return number;
}

std::uint32_t small_option(const plugin::Host& host, std::string_view name, std::uint32_t otherwise,
                           std::uint32_t most) {
  return static_cast<std::uint32_t>(bounded_option(host, name, otherwise, most));
}

/// A power of 2 up to 64.
std::uint32_t width_option(const plugin::Host& host) {
  const std::uint64_t width = number_option(host, "fake_sub_group_width", 32);
  if (!std::has_single_bit(width) || width > 64) {
    plugin::refuse_setting("fake_sub_group_width", "a power of 2 up to 64", std::to_string(width));
  }
  return static_cast<std::uint32_t>(width);
}

/// "0>1,1>2": device 0 reaches 1, and 1 reaches 2. Empty: no device reaches another.
auto peers_option(const plugin::Host& host, std::uint32_t devices) {
  std::optional<std::set<std::pair<std::uint32_t, std::uint32_t>>> peers;
  const auto text = host.option("fake_peers");
  if (!text) return peers;
  peers.emplace();
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto from = take_number(rest);
    const bool is_arrow = take(rest, '>');
    const auto to = take_number(rest);
    const bool ends = rest.empty() || (take(rest, ',') && !rest.empty());
    if (!from || !is_arrow || !to || !ends || *from >= devices || *to >= devices || *from == *to) {
      plugin::refuse_setting("fake_peers",
                             "pairs of the " + std::to_string(devices) + " devices, as '0>1,1>0'",
                             *text);
    }
    peers->emplace(static_cast<std::uint32_t>(*from), static_cast<std::uint32_t>(*to));
  }
  return peers;
}

}  // namespace

std::uint64_t number_option(const plugin::Host& host, std::string_view name,
                            std::uint64_t otherwise) {
  const auto text = host.option(name);
  if (!text) return otherwise;
  std::string_view rest = *text;
  const auto number = take_number(rest);
  if (!number || !rest.empty()) plugin::refuse_setting(name, "a number", *text);
  return *number;
}

Window window_option(const plugin::Host& host, const std::string& name) {
  const auto text = host.option(name);
  if (!text) return {};
  std::string_view rest = *text;
  const auto first = take_number(rest);
  auto last = first;
  if (take(rest, '-')) last = rest.empty() ? kMost : take_number(rest);
  if (!first || !last || !rest.empty() || *last < *first) {
    plugin::refuse_setting(name, "a number, or several as '3-5' or '3-'", *text);
  }
  return {*first, *last};
}

Options::Options(const plugin::Host& host)
    : devices(small_option(host, "fake_devices", 2, 256)),
      memory_bytes(number_option(host, "fake_memory_bytes", std::uint64_t{1} << 30)),
      f64(bounded_option(host, "fake_f64", 1, 1) != 0),
      peer(bounded_option(host, "fake_peer", 1, 1) != 0),
      blocks_on_pageable(bounded_option(host, "fake_pageable_blocks", 0, 1) != 0),
      peers(peers_option(host, devices)),
      fuses(bounded_option(host, "fake_fusion", 1, 1) != 0),
      sub_group_width(width_option(host)),
      delay_ms(small_option(host, "fake_delay_ms", 0, 60'000)),
      late_us(small_option(host, "fake_late_us", 0, 60'000'000)),
      seed(number_option(host, "fake_seed", 0)),
      link_bytes_per_s(number_option(host, "fake_link_bytes_per_s", 0)),
      workspace_bytes(number_option(host, "fake_workspace_bytes", 0)) {}

patchbay::device::Options Options::of_device(std::uint32_t index) const {
  return {index, "fake:" + std::to_string(index), memory_bytes, false, f64, sub_group_width};
}

bool Options::reaches(std::uint32_t from, std::uint32_t to) const {
  if (from == to) return false;
  return peers ? peers->contains({from, to}) : peer;
}

bool Options::has_peers(std::uint32_t from) const {
  if (!peers) return peer;
  return std::any_of(peers->begin(), peers->end(),
                     [from](const auto& pair) { return pair.first == from; });
}

}  // namespace fake
