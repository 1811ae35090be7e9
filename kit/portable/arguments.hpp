// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel launch, in the order of the kernel's parameters.
#ifndef PATCHBAY_KIT_PORTABLE_ARGUMENTS_HPP_
#define PATCHBAY_KIT_PORTABLE_ARGUMENTS_HPP_

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay::portable {

/// A buffer (for PATCHBAY_INPUT and similar parameters) or a value.
struct Argument {
  plugin::Memory memory{};      // of a buffer; a null base means no memory
  const void* bytes = nullptr;  // of a value; null for a buffer
  std::size_t size_bytes = 0;

  bool is_memory() const { return bytes == nullptr; }
};

/// The arguments of a launch and the bytes of their values. Does not allocate.
class Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  Arguments& memory(plugin::Memory memory) {
    check(size_ < kMost);
    arguments_[size_++].memory = memory;
    return *this;
  }
  Arguments& bytes(const void* data, std::size_t size_bytes) {
    constexpr std::size_t kAlignment = 16;
    const std::size_t padded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
    check(size_ < kMost && padded <= kMostBytes - used_);
    std::memcpy(storage_ + used_, data, size_bytes);
    Argument& argument = arguments_[size_++];
    argument.bytes = storage_ + used_;
    argument.size_bytes = size_bytes;
    used_ += padded;
    return *this;
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

  static constexpr std::size_t kMost = 36;

 private:
  static constexpr std::size_t kMostBytes = 2048;
  static void check(bool fits) {
    if (!fits)
      throw plugin::StatusError(PATCHBAY_INTERNAL, "a portable kernel has too many arguments");
  }

  std::size_t size_ = 0, used_ = 0;
  std::array<Argument, kMost> arguments_{};
  alignas(16) std::byte storage_[kMostBytes];
};

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ARGUMENTS_HPP_
