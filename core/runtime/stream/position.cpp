// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/position.h"

#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

std::shared_ptr<Queue> PastUse::held() const {
  std::shared_ptr<Queue> locked = queue.lock();
  StreamState* const stream = locked != nullptr ? locked->as_stream() : nullptr;
  return stream != nullptr ? stream->shared() : locked;
}

bool PastUse::learn_whether_done() const noexcept {
  if (is_done()) return true;
  if (const auto locked = queue.lock()) locked->poll();
  return is_done();
}

void PastUse::wait() const noexcept {
  if (is_done()) return;
  if (const auto locked = queue.lock()) {
    locked->finish_quietly();
    return;
  }
  // Another thread is closing the stream, and notifies when it is done.
  for (std::uint64_t now = progress->completed.load(); now < sequence;
       now = progress->completed.load()) {
    progress->completed.wait(now);
  }
}

}  // namespace patchbay::runtime
