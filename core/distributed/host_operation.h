// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An operation that a thread of this process carries out once all members have come.
#ifndef PATCHBAY_CORE_DISTRIBUTED_HOST_OPERATION_H_
#define PATCHBAY_CORE_DISTRIBUTED_HOST_OPERATION_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/base/fork.h"
#include "core/distributed/member.h"
#include "core/runtime/stream/queue.h"

namespace patchbay::distributed {

/// Throws a new Error or std::bad_alloc like the failure; one of another type is thrown itself.
/// Threads that shared one would free it by a count inside the C++ library, which thread sanitizers
/// do not see.
[[noreturn]] void throw_own(const std::exception_ptr& failure);
/// The exception that is handled, as one that another thread may have.
std::exception_ptr own_current_exception() noexcept;

/// A queue with one position, for the memory of its tensors. Others wait for it only on the host,
/// until its work is queued on the devices.
class HostOperation final : public Operation, public runtime::Queue {
 public:
  /// Its only position.
  static constexpr std::uint64_t kPosition = 1;

  /// All members must come before `deadline_ns`. Who waits for the operation then calls
  /// `keep_deadline`, which ends it if they have not. It takes the group's lock.
  HostOperation(const char* name, const void* group, std::uint64_t deadline_ns,
                std::function<void()> keep_deadline)
      : Operation(name),
        Queue(name),
        group_(group),
        deadline_ns_(deadline_ns),
        keep_deadline_(std::move(keep_deadline)) {}

  void wait_on_host(std::uint64_t sequence, std::string_view operation,
                    std::uint64_t deadline_ns) override;
  void poll() noexcept override {}
  /// True on threads that carry out operations or copies: earlier operations on the same tensors
  /// have ended before those began, and later ones wait for them.
  bool is_ordered_here() const noexcept override;
  void finish_quietly() noexcept override;

  bool is_of(const void* group) const { return group_ == group; }
  /// It ends at its deadline even if nobody waits for it.
  bool has_ended() noexcept override;
  bool wait_until(std::uint64_t deadline_ns) override;
  std::string_view missing() const noexcept override {
    return all_have_come.load() ? "the devices to be done" : "all members";
  }
  /// Ends it for those who wait for the operation itself. Called once, and then `settle`.
  void end(std::exception_ptr failure) noexcept;
  /// Ends it for the memory, too: a failure stays with what was to be written.
  void settle() noexcept;

  /// Marks this thread as one that carries out operations, until the scope ends.
  class Running {
   public:
    Running();
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
  };

  const base::HomeProcess home;
  std::atomic<bool> all_have_come{false};

 private:
  /// Whether the flag is set by then. Keeps the operation's own deadline on the way.
  bool becomes(const bool& flag, std::uint64_t deadline_ns);

  const void* const group_;
  const std::uint64_t deadline_ns_;
  const std::function<void()> keep_deadline_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ended_ = false, is_settled_ = false;
  std::exception_ptr failure_;  // null if it succeeded
};

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_HOST_OPERATION_H_
