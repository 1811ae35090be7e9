// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/context/process_end.hpp"

#include "opencl/context/stream.hpp"

namespace patchbay::opencl {

ProcessEnd::Pass::Pass(ProcessEnd& end) : pass_(end.gate_) {
  if (!pass_) refuse_at_process_end();
}

ProcessEnd::Entry::Entry(ProcessEnd& end, Stream& stream) : end_(end), stream_(stream) {
  const std::lock_guard<std::mutex> lock(end_.mutex_);
  end_.streams_.push_back(&stream_);
}

ProcessEnd::Entry::~Entry() {
  const std::lock_guard<std::mutex> lock(end_.mutex_);
  std::erase(end_.streams_, &stream_);
}

void ProcessEnd::stop(std::uint64_t deadline_ns) noexcept {
  gate_.close(deadline_ns);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Stream* const stream : streams_) {
    try {
      stream->synchronize(deadline_ns);
    } catch (...) {  // a failed stream has no running work
    }
  }
}

}  // namespace patchbay::opencl
