// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/host_operation.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/runtime/copy/transfer.h"

namespace patchbay::distributed {
namespace {

constinit thread_local bool carries_out = false;

/// Made early, while there is memory.
const runtime::FaultPtr& unknown_fault() {
  static const auto* const fault = new runtime::FaultPtr(
      std::make_shared<const runtime::Fault>(runtime::Fault{ErrorCode::kOutOfMemory, 0,
                                                            "a collective operation failed, and no "
                                                            "memory was left to say why"}));
  return *fault;
}

/// The failure for readers of the memory that was to be written.
runtime::FaultPtr fault_of(const std::exception_ptr& failure, std::string_view operation) noexcept {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      // Calls on the lost device report its loss themselves.
      return std::make_shared<const runtime::Fault>(
          runtime::fault_of_step(error, operation, /*is_lost=*/false));
    }
  } catch (...) {
    return unknown_fault();
  }
}

}  // namespace

void throw_own(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()), error.native_code(), error.is_retryable());
  } catch (const std::bad_alloc&) {
    throw std::bad_alloc();
  }
}

std::exception_ptr own_current_exception() noexcept {
  try {
    throw_own(std::current_exception());
  } catch (...) {
    return std::current_exception();
  }
}

HostOperation::Running::Running() {
  unknown_fault();
  carries_out = true;
}
HostOperation::Running::~Running() { carries_out = false; }

bool HostOperation::is_ordered_here() const noexcept {
  return carries_out || runtime::Transfer::current() != nullptr;
}

void HostOperation::wait_on_host(std::uint64_t sequence, std::string_view operation,
                                 std::uint64_t deadline_ns) {
  home.check(operation, name());
  if (!becomes(is_settled_, deadline_ns)) {
    base::raise(ErrorCode::kTimedOut,
                "[{}] the deadline passed before {} ended. Nothing is lost: wait again.", operation,
                name());
  }
  if (const runtime::FaultPtr fault = progress->fault_at(sequence)) {
    throw runtime::memory_error(*fault, operation);
  }
}

void HostOperation::finish_quietly() noexcept {
  const base::CancellationOff not_cancelled;
  if (home.is_here()) becomes(is_settled_, UINT64_MAX);
}

bool HostOperation::has_ended() noexcept {
  const base::CancellationOff not_cancelled;
  return home.is_here() ? becomes(is_ended_, 0) : is_done(kPosition);
}

bool HostOperation::wait_until(std::uint64_t deadline_ns) {
  home.check("wait", name());
  if (!becomes(is_ended_, deadline_ns)) return false;
  if (failure_ != nullptr) throw_own(failure_);
  return true;
}

bool HostOperation::becomes(const bool& flag, std::uint64_t deadline_ns) {
  const auto wait = [&](std::uint64_t until_ns) {
    std::unique_lock lock(mutex_);
    while (!flag) {
      if (base::now_ns() >= until_ns) return false;
      base::wait_until(changed_, lock, until_ns);
    }
    return true;
  };
  if (wait(std::min(deadline_ns, deadline_ns_))) return true;
  if (base::now_ns() < deadline_ns_) return false;
  keep_deadline_();
  return wait(deadline_ns);
}

void HostOperation::end(std::exception_ptr failure) noexcept {
  const std::scoped_lock lock(mutex_);
  failure_ = std::move(failure);
  is_ended_ = true;
  changed_.notify_all();
}

void HostOperation::settle() noexcept {
  const runtime::FaultPtr fault = failure_ != nullptr ? fault_of(failure_, name()) : nullptr;
  const std::scoped_lock lock(mutex_);
  if (fault) progress->fail(fault);
  progress->pass(kPosition);
  is_settled_ = true;
  changed_.notify_all();
}

}  // namespace patchbay::distributed
