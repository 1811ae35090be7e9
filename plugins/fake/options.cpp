// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

namespace fake {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Takes a number off the front of `text`.
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

[[noreturn]] void refuse(std::string_view name, const std::string& expected,
                         std::string_view text) {
  plugin::invalid_argument("option " + std::string(name) + ": expected " + expected + ", got '" +
                           std::string(text) + "'");
}

std::uint64_t bounded_option(const plugin::Host& host, std::string_view name,
                             std::uint64_t otherwise, std::uint64_t most) {
  const std::uint64_t number = number_option(host, name, otherwise);
  if (number > most) {
    plugin::invalid_argument("option " + std::string(name) + ": expected at most " +
                             std::to_string(most) + ", got " + std::to_string(number));
  }
  return number;
}

std::uint32_t small_option(const plugin::Host& host, std::string_view name, std::uint32_t otherwise,
                           std::uint32_t most) {
  return static_cast<std::uint32_t>(bounded_option(host, name, otherwise, most));
}

/// "0>1,1>2": device 0 reaches 1, and 1 reaches 2. Empty: nobody reaches anybody.
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
      refuse("fake_peers", "pairs of the " + std::to_string(devices) + " devices, as '0>1,1>0'",
             *text);
    }
    peers->emplace(static_cast<std::uint32_t>(*from), static_cast<std::uint32_t>(*to));
  }
  return peers;
}

/// Letters to insert, drop or replace to make one of the other.
std::size_t num_edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::uint64_t number_option(const plugin::Host& host, std::string_view name,
                            std::uint64_t otherwise) {
  const auto text = host.option(name);
  if (!text) return otherwise;
  std::string_view rest = *text;
  const auto number = take_number(rest);
  if (!number || !rest.empty()) refuse(name, "a number", *text);
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
    refuse(name, "a number, or several as '3-5' or '3-'", *text);
  }
  return {*first, *last};
}

void refuse_unknown_options(const plugin::Host& host) {
  constexpr std::string_view kNames[] = {
      "fake_delay_ms",
      "fake_devices",
      "fake_endless_launch",
      "fake_endless_until_launch",
      "fake_f64",
      "fake_fail_allocate",
      "fake_fail_async_launch",
      "fake_fail_copy",
      "fake_fail_create_event",
      "fake_fail_create_stream",
      "fake_fail_enumerate",
      "fake_fail_launch",
      "fake_fail_open_device",
      "fake_fail_prepare",
      "fake_late_us",
      "fake_link_bytes_per_s",
      "fake_lose_device",
      "fake_lose_device_async",
      "fake_memory_bytes",
      "fake_open",
      "fake_out_of_memory",
      "fake_peer",
      "fake_peers",
      "fake_portable",
      "fake_seed",
      "fake_unnamed_faults",
      "fake_workspace_bytes",
  };
  std::istringstream given(host.option("fake_*").value_or(""));
  for (std::string name; std::getline(given, name);) {
    if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) continue;
    const auto* nearest = std::min_element(std::begin(kNames), std::end(kNames),
                                           [&](std::string_view a, std::string_view b) {
                                             return num_edits(name, a) < num_edits(name, b);
                                           });
    plugin::invalid_argument("there is no option " + name +
                             ": expected one of plugins/fake/README.md"
                             ", such as " +
                             std::string(*nearest));
  }
}

Options::Options(const plugin::Host& host)
    : devices(small_option(host, "fake_devices", 2, 256)),
      memory_bytes(number_option(host, "fake_memory_bytes", std::uint64_t{1} << 30)),
      f64(bounded_option(host, "fake_f64", 1, 1) != 0),
      peer(bounded_option(host, "fake_peer", 1, 1) != 0),
      peers(peers_option(host, devices)),
      portable(bounded_option(host, "fake_portable", 0, 1) != 0),
      delay_ms(small_option(host, "fake_delay_ms", 0, 60'000)),
      late_us(small_option(host, "fake_late_us", 0, 60'000'000)),
      seed(number_option(host, "fake_seed", 0)),
      link_bytes_per_s(number_option(host, "fake_link_bytes_per_s", 0)),
      workspace_bytes(number_option(host, "fake_workspace_bytes", 0)) {}

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
