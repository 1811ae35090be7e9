// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/support/bytes.h"

#include <algorithm>
#include <cstring>

#include "conformance/support/expect.h"

namespace patchbay::conformance {

Bytes pattern(std::size_t size_bytes, std::uint64_t seed) {
  Bytes bytes(size_bytes);
  for (std::size_t i = 0; i < size_bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t bits = mix(mix(seed) + i);
    std::memcpy(&bytes[i], &bits, std::min(sizeof(bits), size_bytes - i));
  }
  return bytes;
}

void expect_same(const Bytes& got, const Bytes& expected, std::string_view what) {
  expect_equal(got.size(), expected.size(), what);
  const auto [mine, theirs] = std::mismatch(got.begin(), got.end(), expected.begin());
  if (mine == got.end()) return;
  throw Failure(fmt::format("{}: byte {} of {}: expected {:#04x}, got {:#04x}", what,
                            mine - got.begin(), got.size(), static_cast<unsigned>(*theirs),
                            static_cast<unsigned>(*mine)));
}

Buffer upload(const Device& device, const Bytes& bytes, MemoryKind kind) {
  const Buffer buffer = Buffer::allocate(device, bytes.size(), kind);
  write(buffer, bytes);
  return buffer;
}

void write(const Buffer& buffer, const Bytes& bytes, std::size_t offset_bytes) {
  copy_from_host({buffer, offset_bytes, bytes.size()}, bytes.data());
}

Bytes read(const Buffer& buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  Bytes bytes(size_bytes, std::byte{0xee});
  copy_to_host(bytes.data(), {buffer, offset_bytes, size_bytes});
  return bytes;
}

Bytes read(const Buffer& buffer) { return read(buffer, 0, buffer.size_bytes()); }

}  // namespace patchbay::conformance
