// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_BUFFER_H_
#define PATCHBAY_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/memory.h"

namespace patchbay {

namespace runtime {
struct BufferState;
}

/// A block of one device's memory. A shared handle: the memory is freed when the last handle is
/// gone and the work that uses it is done. Null when default-constructed. Handles are as safe to
/// share between threads as std::shared_ptr.
class PATCHBAY_API Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer& other) noexcept;
  Buffer(Buffer&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  Buffer& operator=(Buffer other) & noexcept {
    runtime::BufferState* mine = state_;
    state_ = other.state_;
    other.state_ = mine;
    return *this;
  }
  ~Buffer() {
    if (state_ != nullptr) release();
  }

  /// Uninitialised memory with the device's alignment. The size may be 0.
  /// Errors: kOutOfMemory names device, requested, free, total.
  static Buffer allocate(const Device& device, std::size_t size_bytes,
                         MemoryKind kind = MemoryKind::kDevice);
  /// Borrows host memory for a device that can address it (a CPU device). The caller keeps it valid
  /// until `released` is called, when nothing uses it any more. That call comes from the thread
  /// that drops the last handle, which may be the runtime's transfer thread. `released` must not
  /// call the library; an exception that it throws is logged. Errors: kUnsupported if the device
  /// can't; kInvalidArgument for null memory of some size.
  static Buffer wrap_host(const Device& device, void* data, std::size_t size_bytes,
                          std::function<void()> released = {});
  /// Borrows host memory that is only read: what would write to it is refused (kInvalidArgument).
  template <class T>
  requires std::is_const_v<T>
  static Buffer wrap_host(const Device& device, T* data, std::size_t size_bytes,
                          std::function<void()> released = {}) {
    return wrap_read_only(device, data, size_bytes, std::move(released));
  }

  explicit operator bool() const { return state_ != nullptr; }
  // The calls below are errors for a null handle: kInvalidArgument.
  Device device() const;
  std::size_t size_bytes() const;
  MemoryKind kind() const;
  bool is_host_addressable() const;
  /// The address for the host. Blocks until pending work on the buffer is done.
  /// Errors: kUnsupported if the host can't address the memory.
  void* host_pointer() const;
  /// Blocks until no submitted work writes or reads the buffer.
  void wait() const;

  friend bool operator==(const Buffer& a, const Buffer& b) { return a.state_ == b.state_; }

  /// Adopts one reference.
  explicit Buffer(runtime::BufferState* state) : state_(state) {}
  runtime::BufferState* state() const { return state_; }

 private:
  static Buffer wrap_read_only(const Device& device, const void* data, std::size_t size_bytes,
                               std::function<void()> released);
  void release() noexcept;
  runtime::BufferState& checked(const char* operation) const;

  runtime::BufferState* state_ = nullptr;
};

}  // namespace patchbay

#endif  // PATCHBAY_BUFFER_H_
