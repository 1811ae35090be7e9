// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Records submissions instead of making them. Launches, copies and generators use it; graph/
// implements it.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_RECORDER_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_RECORDER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "patchbay/plugin/types.h"

#include "core/runtime/device/generator_state.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay::runtime {

struct BufferState;
struct CopyAddress;
struct KernelState;
struct ModuleKernelState;
struct BufferAccess;

/// Numbers of groups or work items, one for each axis.
using GridAxes = std::array<std::uint32_t, 3>;

/// Checks bytes of a buffer. Throws if they are invalid.
using Look = std::function<void(std::span<const std::byte>)>;

/// What a launch may state of an argument's value; other numbers are the program's slots.
constexpr std::uint32_t kNoSlot = 0, kSeedSlot = 0xffffffff, kOffsetSlot = 0xfffffffe;

class Recorder {
 public:
  Recorder() : recording(last_number.fetch_add(1, std::memory_order_relaxed) + 1) {}
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const std::uint64_t recording;  // its number among those of the process

  virtual void launch(KernelState& kernel, std::span<const patchbay_argument> arguments,
                      std::span<const BufferAccess> uses, std::string_view name,
                      std::span<const std::uint32_t> slots) = 0;
  virtual void launch_grid(std::shared_ptr<const ModuleKernelState> kernel, const GridAxes& groups,
                           const GridAxes& group_size, std::span<const patchbay_argument> arguments,
                           std::span<const BufferAccess> uses) = 0;
  virtual void copy(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes,
                    const char* name) = 0;
  virtual void kernel_copy(DeviceState& device, std::size_t size_bytes) = 0;
  /// Makes each run call `look` with these bytes of the buffer, before the next recorded operation.
  virtual void look(BufferState& buffer, std::size_t offset_bytes, std::size_t size_bytes,
                    const char* name, Look look) = 0;
  virtual void note_made(BufferState& buffer) = 0;
  /// Whether the buffer's elements are computed only when the list runs.
  virtual bool makes(const BufferState& buffer) const = 0;
  /// Whether the buffer was allocated in the recording.
  virtual bool owns(const BufferState& buffer) const = 0;
  virtual bool has_slot(std::uint32_t slot) const = 0;

  // These replace a generator's own state.
  /// The start of the next draws. The next launch takes it as its argument.
  virtual GeneratorPosition advance(const std::shared_ptr<GeneratorState>& generator,
                                    std::uint64_t calls) = 0;
  virtual void set_position(const std::shared_ptr<GeneratorState>& generator,
                            GeneratorPosition position) = 0;
  /// Makes the next launch draw from a position that advance() gave. The position of a null
  /// generator is the same in each run.
  virtual void repeat(const std::shared_ptr<GeneratorState>& generator,
                      GeneratorPosition position) = 0;

 private:
  static inline constinit std::atomic<std::uint64_t> last_number{0};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_RECORDER_H_
