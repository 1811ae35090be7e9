// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <new>

#include "core/base/error.h"

namespace patchbay::runtime {

constinit std::atomic<std::uint32_t> num_forks{0};

void watch_forks() {
  static const bool is_watching = [] {
    const auto count = [] { num_forks.fetch_add(1, std::memory_order_relaxed); };
    if (pthread_atfork(nullptr, nullptr, count) != 0) throw std::bad_alloc();
    return true;
  }();
  static_cast<void>(is_watching);
}

HomeProcess::HomeProcess() noexcept
    : num_forks_(num_forks.load(std::memory_order_relaxed)), process_(getpid()) {}

void HomeProcess::raise_elsewhere(std::string_view operation, std::string_view where) const {
  raise(ErrorCode::kDeviceLost,
        "[{}] the runtime is used in a forked process: expected process {}, which made it, got {} "
        "({}). Make a Runtime of its own in the child.",
        operation, process_, getpid(), where);
}

}  // namespace patchbay::runtime
