// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <cstring>

#include "futex.hpp"
#include "operand.hpp"

namespace patchbay::cpu {

void Event::record() noexcept { recorded_ns_.store(monotonic_ns()); }

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  const std::uint64_t before = static_cast<Event&>(earlier).recorded_ns_.load();
  const std::uint64_t after = recorded_ns_.load();
  if (before == 0 || after == 0) plugin::invalid_argument("an event was never recorded");
  return after > before ? after - before : 0;
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  copy(address_of(to), static_cast<const char*>(from), size_bytes);
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  copy(static_cast<char*>(to), address_of(from), size_bytes);
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  copy(address_of(to), address_of(from), size_bytes);
}

void Stream::copy(char* to, const char* from, std::uint64_t size_bytes) {
  constexpr std::int64_t kGrain = 64 << 10;
  if (to == from) return;
  const auto n = static_cast<std::int64_t>(size_bytes);
  const auto compute = [&] {
    workers_.split(n, kGrain, n, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    });
  };
  // Small ones are not worth a change of threads.
  if (n <= kGrain) {
    std::memcpy(to, from, size_bytes);
  } else {
    workers_.run(compute);
  }
}

}  // namespace patchbay::cpu
