// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/fork.h"

#include <pthread.h>
#include <unistd.h>

#include "core/base/error.h"

namespace patchbay::base {
namespace {

// Registered while the library is loaded, so that no fork on another thread comes before it.
[[maybe_unused]] const int watched =
    pthread_atfork(nullptr, nullptr, [] { num_forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

constinit std::atomic<std::uint32_t> num_forks{0};

HomeProcess::HomeProcess() noexcept
    : num_forks_(num_forks.load(std::memory_order_relaxed)), process_(getpid()) {}

void HomeProcess::raise_elsewhere(std::string_view operation, std::string_view where) const {
  raise(ErrorCode::kDeviceLost,
        "[{}] the runtime is used in a forked process: expected process {}, which made it, got {} "
        "({}). Make a Runtime of its own in the child.",
        operation, process_, getpid(), where);
}

}  // namespace patchbay::base
