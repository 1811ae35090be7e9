// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/position.h"

#include <atomic>

namespace patchbay::runtime {

std::uint64_t Queue::next_id() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool PastUse::learn_whether_done() const noexcept {
  if (is_done()) return true;
  if (const auto held = queue.lock()) held->poll();
  return is_done();
}

void PastUse::wait() const noexcept {
  if (const auto held = queue.lock()) {
    held->finish_quietly();
    return;
  }
  // Another thread is closing the stream, and notifies when it is done.
  for (std::uint64_t now = progress->completed.load(); now < sequence;
       now = progress->completed.load()) {
    progress->completed.wait(now);
  }
}

}  // namespace patchbay::runtime
