// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One collective operation of a group, as the members' tensors see it: a pending use.
#ifndef PATCHBAY_CORE_DISTRIBUTED_OPERATION_H_
#define PATCHBAY_CORE_DISTRIBUTED_OPERATION_H_

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "core/base/fork.h"
#include "core/runtime/stream/position.h"

namespace patchbay::distributed {

/// Others wait for it only on the host, until its work is queued on the devices.
class Operation final : public runtime::Queue {
 public:
  /// Its only position.
  static constexpr std::uint64_t kPosition = 1;

  Operation(const char* name, const void* group) : Queue(name), group_(group), name_(name) {}

  void wait_on_host(std::uint64_t sequence, std::string_view operation) override;
  void poll() noexcept override {}
  /// True on threads that carry out operations or copies: earlier operations on the same tensors
  /// have ended before those began, and later ones wait for them.
  bool is_ordered_here() const noexcept override;
  void finish_quietly() noexcept override;

  const char* name() const { return name_; }
  bool is_of(const void* group) const { return group_ == group; }
  /// False if the deadline passed first. Errors: those of the operation.
  bool wait_until(std::uint64_t deadline_ns);
  /// Called once. The failure stays with the memory that was to be written.
  void end(std::exception_ptr failure) noexcept;

  /// Marks this thread as one that carries out operations, until the scope ends.
  class Running {
   public:
    Running();
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
  };

  const runtime::HomeProcess home;

 private:
  const void* const group_;
  const char* const name_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::exception_ptr failure_;  // null if it succeeded
};

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_OPERATION_H_
