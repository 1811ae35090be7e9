// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where a device's memory comes from, and what has become of it.
#ifndef PATCHBAY_MEMORY_H_
#define PATCHBAY_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/export.h"

namespace patchbay {

class Device;

enum class MemoryKind : std::uint8_t {
  kDevice = 1,
  kPinned = 2,  // host memory from which and to which the device copies fastest
  kUnified = 3  // for kernels and, through a pointer, for the host; not every device has it
};
/// "device", "pinned", "unified".
PATCHBAY_API std::string_view to_string(MemoryKind kind);

/// A place in memory: a pointer or a driver's handle, and an offset. Only the device's plugin may
/// combine the two.
struct RawMemory {
  void* base = nullptr;
  std::uint64_t offset_bytes = 0;
};

/// A source of one device's memory. Called from any thread, also from several at once.
class PATCHBAY_API MemoryResource {
 public:
  virtual ~MemoryResource();
  /// Throws std::bad_alloc, or an Error of kOutOfMemory, if there is no memory. The runtime then
  /// trims its caches and asks again.
  virtual RawMemory allocate(MemoryKind kind, std::size_t size_bytes,
                             std::size_t alignment_bytes) = 0;
  /// Called when nothing uses the memory any more. The size is that of the request.
  virtual void release(MemoryKind kind, RawMemory memory, std::size_t size_bytes) noexcept = 0;
};

/// The driver's memory of a device, without a cache: for resources that build on it. It does not
/// keep the runtime alive. Errors: those of the driver; kUnknownDevice once the device is gone.
PATCHBAY_API std::shared_ptr<MemoryResource> driver_memory(const Device& device);

/// Live memory that was allocated in a CopyTag scope of that tag.
struct TaggedMemory {
  std::string tag;  // empty: none
  std::uint64_t live_bytes = 0, live_blocks = 0;
};

/// Memory of one kind of one device, in bytes. Live: what buffers asked for. Reserved: what the
/// runtime has allocated from the driver, including its cache. Threads update the peaks separately:
/// up to 64 KiB for each other thread may be missing in them.
struct DeviceMemory {
  std::uint64_t total_bytes = 0, free_bytes = 0;  // as the driver says
  std::uint64_t live_bytes = 0, peak_bytes = 0, live_blocks = 0;
  std::uint64_t reserved_bytes = 0, peak_reserved_bytes = 0;
  std::uint64_t limit_bytes = 0;               // of the reserved memory; 0: none
  std::uint64_t largest_free_block_bytes = 0;  // in the cache
  std::uint64_t num_driver_allocations = 0;    // since the start
  std::vector<TaggedMemory> by_tag;            // live memory, largest first
};

}  // namespace patchbay

#endif  // PATCHBAY_MEMORY_H_
