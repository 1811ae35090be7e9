// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/allocator.hpp"

#include <string>

#include "kit/card/api/entries.hpp"
#include "kit/card/context/device_info.hpp"

namespace patchbay::card {
namespace {

[[noreturn]] void out_of_memory(const std::string& why, Result code = 0) {
  throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, why, code, PATCHBAY_STATUS_RETRYABLE);
}

/// Throws the error of an allocation, with its size.
void check_allocation(Context& context, const char* entry, Result code, std::uint64_t size_bytes) {
  if (code == kSuccess) return;
  const std::string doing = std::string(entry) + " of " + std::to_string(size_bytes) + " bytes";
  if (code == kErrorOutOfMemory) out_of_memory(describe(context.api(), doing, code), code);
  context.fail(doing, code);
}

void* pointer_to(Address address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

plugin::Memory Allocator::allocate_on_device(std::uint64_t size_bytes) {
  if (size_bytes > total_bytes_) {
    out_of_memory(std::to_string(size_bytes) + " bytes asked for, the device has " +
                  std::to_string(total_bytes_));
  }
  const auto& entry = context_.api().memory_allocate;
  Address address = 0;
  const Result code = context_.attempt(entry, &address, size_bytes);
  check_allocation(context_, entry.name, code, size_bytes);
  return {pointer_to(address), 0};
}

plugin::Memory Allocator::pin(std::uint64_t size_bytes) {
  const auto& entry = context_.api().host_allocate;
  void* pointer = nullptr;
  const Result code =
      context_.attempt(entry, &pointer, size_bytes, static_cast<unsigned>(kHostAllocPortable));
  check_allocation(context_, entry.name, code, size_bytes);
  return {pointer, 0};
}

plugin::Memory Allocator::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                                   std::uint64_t alignment_bytes) {
  if (alignment_bytes > kAlignmentBytes) {
    plugin::invalid_argument("alignment " + std::to_string(alignment_bytes) +
                             ": allocations have " + std::to_string(kAlignmentBytes));
  }
  if (memory_kind == PATCHBAY_MEMORY_DEVICE) return allocate_on_device(size_bytes);
  if (memory_kind == PATCHBAY_MEMORY_PINNED) return pin(size_bytes);
  plugin::unsupported("no memory of kind " + std::to_string(memory_kind));
}

void Allocator::release(std::uint32_t memory_kind, plugin::Memory memory) noexcept {
  if (memory_kind == PATCHBAY_MEMORY_PINNED) {
    context_.call_quietly(context_.api().host_free, memory.base);
  } else {
    context_.call_quietly(context_.api().memory_free, address_of(memory));
  }
}

Allocator::Info Allocator::info() {
  std::size_t free_bytes = 0, total_bytes = 0;
  context_.call(context_.api().memory_info, &free_bytes, &total_bytes);
  return {free_bytes, total_bytes};
}

/// Memory of a pool belongs to a device but to no context.
void Allocator::check_owner(Address address) {
  const auto& entry = context_.api().pointer_attribute;
  if (context_.api().has_contexts) {
    NativeContext owner = nullptr;
    const Result code =
        context_.attempt(entry, static_cast<void*>(&owner), kPointerContext, address);
    if (code == kSuccess && owner == context_.native()) return;
    if (code == kSuccess && owner != nullptr) context_.refuse_others("address");
  }
  DeviceNumber device = -1;
  const Result known =
      context_.attempt(entry, static_cast<void*>(&device), kPointerDevice, address);
  if (known == kErrorInvalidValue) {
    plugin::invalid_argument("the driver knows of no memory at that address");
  }
  if (known != kSuccess) context_.fail(entry.name, known);
  if (device != context_.device()) plugin::invalid_argument("the address is on another device");
}

plugin::Memory Allocator::wrap(std::uint64_t native_handle, std::uint64_t size_bytes) {
  check_owner(native_handle);
  Address base = 0;
  std::size_t has_bytes = 0;
  // If the driver does not know the memory, trust the caller.
  const Result code =
      context_.attempt(context_.api().address_range, &base, &has_bytes, native_handle);
  if (code == kSuccess && size_bytes > has_bytes - (native_handle - base)) {
    plugin::invalid_argument("the allocation has " +
                             std::to_string(has_bytes - (native_handle - base)) +
                             " bytes from there on, not " + std::to_string(size_bytes));
  }
  return {pointer_to(native_handle), 0};
}

}  // namespace patchbay::card
