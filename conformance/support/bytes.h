// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Test patterns of bytes, and copies of them to and from a device.
#ifndef PATCHBAY_CONFORMANCE_SUPPORT_BYTES_H_
#define PATCHBAY_CONFORMANCE_SUPPORT_BYTES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <patchbay/patchbay.h>

namespace patchbay::conformance {

using Bytes = std::vector<std::byte>;

/// Sizes around the widths of words, cache lines and pages, where copies tend to fail.
inline constexpr std::array<std::size_t, 7> kSizes = {1, 3, 4, 255, 4096, 65537, 1048577};

/// A hash of the bits.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Bytes without a period, different for each seed.
Bytes pattern(std::size_t size_bytes, std::uint64_t seed);
/// Fails with the first byte that differs.
void expect_same(const Bytes& got, const Bytes& expected, std::string_view what);

/// Creates a buffer that contains the bytes.
Buffer upload(const Device& device, const Bytes& bytes, MemoryKind kind = MemoryKind::kDevice);
void write(const Buffer& buffer, const Bytes& bytes, std::size_t offset_bytes = 0);
Bytes read(const Buffer& buffer, std::size_t offset_bytes, std::size_t size_bytes);
Bytes read(const Buffer& buffer);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_SUPPORT_BYTES_H_
