// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <charconv>
#include <string>

namespace fake {

std::uint64_t number_option(const plugin::Host& host, std::string_view name,
                            std::uint64_t otherwise) {
  const auto text = host.option(name);
  if (!text) return otherwise;
  std::uint64_t number = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    plugin::invalid_argument("option " + std::string(name) + ": expected a number, got '" + *text +
                             "'");
  }
  return number;
}

namespace {

std::uint64_t bounded_option(const plugin::Host& host, std::string_view name,
                             std::uint64_t otherwise, std::uint64_t most) {
  const std::uint64_t number = number_option(host, name, otherwise);
  if (number > most) {
    plugin::invalid_argument("option " + std::string(name) + ": expected at most " +
                             std::to_string(most) + ", got " + std::to_string(number));
  }
  return number;
}

}  // namespace

Options::Options(const plugin::Host& host)
    : devices(static_cast<std::uint32_t>(bounded_option(host, "fake_devices", 2, 256))),
      memory_bytes(number_option(host, "fake_memory_bytes", std::uint64_t{1} << 30)),
      f64(bounded_option(host, "fake_f64", 1, 1) != 0),
      peer(bounded_option(host, "fake_peer", 1, 1) != 0),
      portable(bounded_option(host, "fake_portable", 0, 1) != 0),
      delay_ms(static_cast<std::uint32_t>(bounded_option(host, "fake_delay_ms", 0, 60'000))),
      workspace_bytes(number_option(host, "fake_workspace_bytes", 0)) {}

}  // namespace fake
