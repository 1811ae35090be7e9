// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's waits know no deadline: look again and again, more and more seldom.
#ifndef PATCHBAY_PLUGINS_CUDA_POLLING_HPP_
#define PATCHBAY_PLUGINS_CUDA_POLLING_HPP_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "patchbay/plugin/kit/host.hpp"

#include "context.hpp"

namespace patchbay::cuda {

/// What the code of a query says. Throws what is no answer.
template <class T>
bool is_over(Context& context, const Entry<int(T)>& query, T object) {
  const Result code = context.attempt(query, object);
  if (code != kSuccess && code != kErrorNotReady) context.fail(query.name, code);
  return code == kSuccess;
}

/// False when the deadline passed first.
template <class T>
bool poll(Context& context, const Entry<int(T)>& query, T object, plugin::Host host,
          std::uint64_t deadline_ns) {
  std::chrono::nanoseconds pause(1000);
  while (!is_over(context, query, object)) {
    const std::uint64_t now = host.now_ns();
    if (now >= deadline_ns) return false;
    const auto left =
        std::chrono::nanoseconds(std::min<std::uint64_t>(deadline_ns - now, 1'000'000'000));
    std::this_thread::sleep_for(std::min(pause, left));
    pause = std::min<std::chrono::nanoseconds>(pause * 2, std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_POLLING_HPP_
