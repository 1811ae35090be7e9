// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_CONTEXT_ALLOCATOR_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_ALLOCATOR_HPP_

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/context.hpp"

namespace patchbay::card {

inline Address address_of(plugin::Memory memory) {
  return reinterpret_cast<std::uintptr_t>(memory.base) + memory.offset_bytes;
}

/// A base is a device address; that of pinned memory is valid on the host too.
class Allocator : public plugin::Allocator {
 public:
  Allocator(Context& context, std::uint64_t total_bytes)
      : context_(context), total_bytes_(total_bytes) {}

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;
  plugin::Memory wrap(std::uint64_t native_handle, std::uint64_t size_bytes) override;

 private:
  plugin::Memory allocate_on_device(std::uint64_t size_bytes);
  plugin::Memory pin(std::uint64_t size_bytes);
  void check_owner(Address address);

  Context& context_;
  const std::uint64_t total_bytes_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_ALLOCATOR_HPP_
