// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel launch, in the order of the kernel's parameters.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_ARGUMENTS_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_ARGUMENTS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay::portable {

/// A buffer (for PATCHBAY_INPUT and similar parameters), a value, or the addresses of buffers as
/// one value (Traits::has_addresses).
struct Argument {
  plugin::Memory memory;           // of a buffer; a null base means no memory
  const void* bytes;               // of a value, else null
  const plugin::Memory* memories;  // whose addresses are the value, 8 bytes each; else null
  std::size_t size_bytes;          // of the value

  static Argument buffer(plugin::Memory memory) { return {memory, nullptr, nullptr, 0}; }
  static Argument value(const void* bytes, std::size_t size_bytes) {
    return {{}, bytes, nullptr, size_bytes};
  }
  static Argument addresses(std::span<const plugin::Memory> memories) {
    return {{}, nullptr, memories.data(), memories.size() * sizeof(std::uint64_t)};
  }

  bool is_memory() const { return bytes == nullptr && memories == nullptr; }
  std::span<const plugin::Memory> buffers() const {
    return {memories, memories == nullptr ? 0 : size_bytes / sizeof(std::uint64_t)};
  }
};

/// The arguments of a launch and the bytes of their values. Does not allocate.
class Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// Pass no memory for a buffer that the kernel does not use, such as a workspace of no bytes.
  Arguments& memory(plugin::Memory memory) { return add(Argument::buffer(memory)); }
  Arguments& bytes(const void* data, std::size_t size_bytes) {
    constexpr std::size_t kAlignment = 16;
    const std::size_t padded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
    check(padded <= kMostBytes - used_);
    std::memcpy(storage_ + used_, data, size_bytes);
    add(Argument::value(storage_ + used_, size_bytes));
    used_ += padded;
    return *this;
  }
  /// At most kMostAddresses, which the caller keeps until the launch.
  Arguments& addresses(std::span<const plugin::Memory> memories) {
    check(memories.size() <= kMostAddresses);
    return add(Argument::addresses(memories));
  }
  template <class T>
  Arguments& value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return bytes(&value, sizeof value);
  }

  operator std::span<const Argument>() const { return {arguments_.data(), size_}; }  // NOLINT
  const Argument* begin() const { return arguments_.data(); }
  const Argument* end() const { return arguments_.data() + size_; }
  std::size_t size() const { return size_; }

  static constexpr std::size_t kMost = 128, kMostAddresses = 4096;

 private:
  static constexpr std::size_t kMostBytes = 8192;
  Arguments& add(const Argument& argument) {
    check(size_ < kMost);
    arguments_[size_++] = argument;
    return *this;
  }
  static void check(bool fits) {
    if (!fits)
      throw plugin::StatusError(PATCHBAY_INTERNAL, "a portable kernel has too many arguments");
  }

  std::size_t size_ = 0, used_ = 0;
  std::array<Argument, kMost> arguments_;  // the first size_ are filled
  alignas(16) std::byte storage_[kMostBytes];
};

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_ARGUMENTS_HPP_
