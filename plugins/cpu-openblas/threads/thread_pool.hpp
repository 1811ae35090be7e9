// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fork and join on the threads of a device, fast enough for a product of 10 us.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_THREAD_POOL_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_THREAD_POOL_HPP_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "kit/machine/subnormals.hpp"

namespace patchbay::cpu {

/// The caller and `num_threads - 1` helpers share the parts of a job. A free thread takes the next
/// part, so a helper that sleeps or was descheduled delays nobody. Helpers start with the first
/// job, spin briefly after a job, then sleep. If a job runs already, the caller does a new one
/// alone, so parts may start jobs themselves.
class ThreadPool {
 public:
  /// `cores`: the cores that the pool may use. If there are enough, each helper is pinned to one,
  /// never the caller's: the scheduler often wakes a helper on the core of its waker and takes
  /// milliseconds to move it.
  /// `subnormals`: how the helpers treat them; the caller of a job sees to itself.
  ThreadPool(int num_threads, std::vector<int> cores, Subnormals subnormals = {});
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int num_threads() const noexcept { return num_threads_; }

  /// Calls body(part) for each part in [0, num_parts), num_parts < 65536; returns when all are
  /// done. The body must not throw.
  template <class Body>
  void parallel_for(int num_parts, const Body& body) noexcept {
    run([](const void* context, int part) noexcept { (*static_cast<const Body*>(context))(part); },
        &body, num_parts);
  }

 private:
  using Task = void (*)(const void* context, int part) noexcept;

  void run(Task task, const void* context, int num_parts) noexcept;
  void start_helpers() noexcept;
  void helper_main() noexcept;
  void sleep() noexcept;
  bool claim(int& part) noexcept;
  bool has_work() const noexcept;
  void publish(int num_parts) noexcept;
  void wait_for_helpers(std::uint32_t num_parts) noexcept;
  void make_room_for_caller() noexcept;

  const int num_threads_;
  const Subnormals subnormals_;
  std::vector<int> cores_;            // the caller's, then one per helper, then spare ones
  std::vector<std::thread> helpers_;  // accessed only by the owner of busy_
  bool started_ = false;              // likewise
  std::uint32_t generation_ = 0;      // likewise
  Task task_ = nullptr;               // written before state_, read after a successful claim
  const void* context_ = nullptr;

  std::atomic<bool> busy_{false};
  std::atomic<bool> stopping_{false};
  /// generation << 32 | next part << 16 | number of parts. A claim is one compare-and-swap, which
  /// fails for a helper that comes too late.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<std::uint32_t> finished_{0};  // number of parts that helpers have done
  std::atomic<std::uint32_t> caller_sleeps_{0};
  alignas(64) std::atomic<std::uint32_t> wake_count_{0};
  std::atomic<int> sleepers_{0};
};

/// If pinning is not allowed, the thread may run anywhere.
void pin_thread(std::thread& thread, int core) noexcept;
/// Starts a thread that blocks the application's signals and treats subnormal numbers so. Returns
/// false if it can't be started.
bool start_quiet_thread(std::vector<std::thread>& threads, Subnormals subnormals,
                        void (*body)(void*), void* context) noexcept;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_THREAD_POOL_HPP_
