// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The hot path from a tensor operation to a plugin's kernel. Included by core/tensor.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_LAUNCH_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_LAUNCH_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "patchbay/plugin/types.h"

#include "core/base/element_bits.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/memory/buffer_state.h"

namespace patchbay::runtime {

/// Fills the fixed part of a tensor argument; the caller writes shape and strides. Call it for each
/// launch anew, because the number of the contents changes.
inline void set_tensor(patchbay_argument& argument, const BufferState& buffer,
                       std::uint64_t offset_bytes, DType dtype, int rank, std::uint8_t access) {
  argument.kind = PATCHBAY_TENSOR;
  argument.dtype = static_cast<std::uint8_t>(dtype);
  argument.rank = static_cast<std::uint8_t>(rank);
  argument.access = access;
  argument.value.memory = {buffer.memory.base, buffer.memory.offset_bytes + offset_bytes};
  argument.contents = (access & PATCHBAY_WRITE) != 0 ? 0 : buffer.contents();
}
inline void set_value(patchbay_argument& argument, const base::ElementBits& bits) {
  static_assert(sizeof argument.value == sizeof bits);
  std::memcpy(&argument.value, &bits, sizeof bits);
}
inline void set_scalar(patchbay_argument& argument, const base::ElementBits& bits, DType dtype) {
  argument.kind = PATCHBAY_SCALAR;
  argument.dtype = static_cast<std::uint8_t>(dtype);
  argument.rank = 0;
  argument.access = PATCHBAY_READ;
  set_value(argument, bits);
}

/// A buffer that a launch reads or writes.
struct BufferAccess {
  BufferState* buffer;
  bool writes;
  bool reads;
};

/// Launches on this thread's stream of the device, after the waits that `uses` needs, and notes the
/// new positions in the buffers. `uses` has one entry for each tensor argument, in order, all on
/// the kernel's device. The reserved bytes of the arguments are zero.
/// Errors: what the plugin reports, prefixed with `[name]`.
/// While this thread records a graph, records the launch instead. `slots` then describes the
/// arguments (stream/recorder.h).
void launch(KernelState& kernel, std::span<const patchbay_argument> arguments,
            std::span<const BufferAccess> uses, std::string_view name,
            std::span<const std::uint32_t> slots = {});

/// Launches on a given stream, without waits: the caller takes care of the order.
void launch_on(StreamState& stream, KernelState& kernel,
               std::span<const patchbay_argument> arguments, std::span<const BufferAccess> uses,
               std::string_view name);

// The common steps of all launches.
/// Whether other streams may use any of the buffers. If not, the functions below do nothing.
inline bool are_tracked(std::span<const BufferAccess> uses) {
  for (const BufferAccess& use : uses) {
    if (use.buffer->tracked.load(std::memory_order_acquire)) return true;
  }
  return false;
}
/// Makes `stream` wait for earlier uses. Errors: the failure of work that was to write an input.
void insert_waits(StreamState& stream, std::span<const BufferAccess> uses, std::string_view name);
void check_readable(std::span<const BufferAccess> uses, std::string_view name);
/// Gives what a launch writes new numbers of contents, before it is submitted and after: another
/// thread's reader that is submitted in between may read the old elements.
class WriteScope {
 public:
  explicit WriteScope(std::span<const BufferAccess> uses) : uses_(uses) { note(); }
  ~WriteScope() { note(); }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;

 private:
  void note() const noexcept {
    for (const BufferAccess& use : uses_) {
      if (use.writes) use.buffer->note_written();
    }
  }

  const std::span<const BufferAccess> uses_;
};
/// For a launch that writes every element of its outputs.
void note_rewritten(std::span<const patchbay_argument> arguments,
                    std::span<const BufferAccess> uses, std::uint64_t after);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_LAUNCH_H_
