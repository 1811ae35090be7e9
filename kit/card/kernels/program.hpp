// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Code that a device has loaded, and the arguments of its kernels.
#ifndef PATCHBAY_KIT_CARD_KERNELS_PROGRAM_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_PROGRAM_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/allocator.hpp"
#include "kit/card/context/stream.hpp"
#include "kit/portable/base/arguments.hpp"

namespace patchbay::card {

class Program {
 public:
  Program(Context& context, const std::string& code);

  /// The kernel with this name in the text.
  Function function(const std::string& name) const;

 private:
  Context& context_;
  ModuleHandle module_;
};

/// The arguments of a launch, in order. The driver reads the values before the launch returns.
class LaunchArguments {
 public:
  static constexpr std::size_t kMost = portable::Arguments::kMost;

  void memory(plugin::Memory memory) {
    addresses_[count_] = address_of(memory);
    pointer(&addresses_[count_]);
  }
  /// Adds a pointer to a value, which must stay valid until the launch.
  void pointer(const void* value) { pointers_[count_++] = const_cast<void*>(value); }
  /// Adds the addresses of all as one value. Once for each launch.
  void addresses(std::span<const plugin::Memory> memories) {
    std::transform(memories.begin(), memories.end(), table_.begin(), address_of);
    pointer(table_.data());
  }
  void** data() { return pointers_.data(); }

 private:
  std::array<Address, kMost> addresses_;
  std::array<void*, kMost> pointers_;
  std::array<Address, portable::Arguments::kMostAddresses> table_;
  std::size_t count_ = 0;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_PROGRAM_HPP_
