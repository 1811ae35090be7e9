// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_CONTEXT_ALLOCATOR_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CONTEXT_ALLOCATOR_HPP_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/api/handle.hpp"

namespace patchbay::opencl {

class Context;

/// Device memory is a buffer object and an offset. Pinned memory is a mapped buffer whose base is
/// the host pointer; it can be copied from and to but can't be an argument of a kernel.
class Allocator : public plugin::Allocator {
 public:
  Allocator(const Context& context, plugin::Host host);

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;
  plugin::Memory wrap(std::uint64_t native_handle, std::uint64_t size_bytes) override;

  /// The buffer object for a base of either kind.
  cl_buffer buffer_of(void* base) const;
  /// The buffer object of device memory. Throws if it is mapped, because only copies may use that.
  cl_buffer device_buffer(plugin::Memory memory) const;

 private:
  struct Pinned {
    BufferHandle buffer;
    std::uint64_t size_bytes;
  };

  std::uint64_t free_bytes() const;
  template <class T>
  T ask(cl_buffer buffer, std::int64_t what) const;
  void check_size(std::uint64_t size_bytes) const;
  BufferHandle create(std::int64_t flags, std::uint64_t size_bytes) const;
  void commit(cl_buffer buffer, std::uint64_t size_bytes) const;
  plugin::Memory pin(std::uint64_t size_bytes);

  const Context& context_;
  const plugin::Host host_;
  const QueueHandle queue_;  // for commits and maps
  std::atomic<std::uint64_t> allocated_bytes_{0};
  mutable std::mutex mutex_;
  std::atomic<std::size_t> num_pinned_{0};
  std::unordered_map<void*, Pinned> pinned_;  // keyed by host pointer
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CONTEXT_ALLOCATOR_HPP_
