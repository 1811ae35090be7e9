// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Work that does not end before the test says so: through a lent thread pool, which large
// operations of a CPU device call.
#ifndef PATCHBAY_TESTS_RUNTIME_STREAM_GATE_H_
#define PATCHBAY_TESTS_RUNTIME_STREAM_GATE_H_

#include <condition_variable>
#include <mutex>

#include "support/runtime_fixture.h"

namespace patchbay::test {

class Gate {
 public:
  void open() { set(true); }
  void close() { set(false); }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }

 private:
  void set(bool is_open) {
    {
      const std::scoped_lock lock(mutex_);
      is_open_ = is_open;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
};

/// A CPU runtime whose large operations pass the gate; small ones need no pool.
inline constexpr std::int64_t kLarge = 1 << 18;
inline RuntimeOptions gated_options(Gate& gate) {
  RuntimeOptions result = options({{"cpu_devices", "1"}});
  result.thread_pool = {2, [&gate](std::size_t n, const std::function<void(std::size_t)>& body) {
                          gate.pass();
                          for (std::size_t i = 0; i < n; ++i) body(i);
                        }};
  return result;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_RUNTIME_STREAM_GATE_H_
