// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/operation.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

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
runtime::FaultPtr fault_of(const std::exception_ptr& failure) noexcept {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      std::string text = error.what();
      if (text.ends_with('.')) text.pop_back();
      return std::make_shared<const runtime::Fault>(
          runtime::Fault{error.code(), error.native_code(), std::move(text)});
    }
  } catch (...) {
    return unknown_fault();
  }
}

}  // namespace

Operation::Running::Running() {
  unknown_fault();
  carries_out = true;
}
Operation::Running::~Running() { carries_out = false; }

bool Operation::is_ordered_here() const noexcept {
  return carries_out || runtime::Transfer::current() != nullptr;
}

void Operation::wait_on_host(std::uint64_t sequence, std::string_view operation) {
  home.check(operation, name_);
  finish_quietly();
  if (const runtime::FaultPtr fault = progress->fault_at(sequence)) {
    throw runtime::memory_error(*fault, operation);
  }
}

void Operation::finish_quietly() noexcept {
  if (!home.is_here()) return;
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return is_ended_; });
}

bool Operation::wait_until(std::uint64_t deadline_ns) {
  home.check("wait", name_);
  std::unique_lock lock(mutex_);
  while (!is_ended_) {
    const std::uint64_t now = runtime::now_ns();
    if (now >= deadline_ns) return false;
    constexpr std::uint64_t kMost = 1'000'000'000;  // against overflow
    ended_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline_ns - now, kMost)));
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  return true;
}

void Operation::end(std::exception_ptr failure) noexcept {
  const runtime::FaultPtr fault = failure != nullptr ? fault_of(failure) : nullptr;
  const std::scoped_lock lock(mutex_);
  failure_ = std::move(failure);
  if (fault) progress->fail(fault);
  progress->pass(kPosition);
  is_ended_ = true;
  ended_.notify_all();
}

}  // namespace patchbay::distributed
