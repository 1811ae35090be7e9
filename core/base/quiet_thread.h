// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_QUIET_THREAD_H_
#define PATCHBAY_CORE_BASE_QUIET_THREAD_H_

#include <functional>
#include <string_view>
#include <thread>

namespace patchbay::base {

/// Starts a thread of the library with all signals but faults blocked. Errors:
/// kOutOfMemory if it can't be started.
std::thread start_quiet_thread(std::string_view operation, std::function<void()> body);

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_QUIET_THREAD_H_
