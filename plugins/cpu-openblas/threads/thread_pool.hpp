// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fork and join over a device's own threads, at a latency that suits a 10 us product.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_THREAD_POOL_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_THREAD_POOL_HPP_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace patchbay::cpu {

/// The caller and `num_threads - 1` helpers share the parts of a job; who is free takes the next
/// part, so a helper that sleeps or was descheduled holds nobody up. Helpers start with the first
/// job, spin for a moment after one, then sleep. A job that comes while another runs is done by
/// its caller alone: parts may therefore start jobs themselves.
class ThreadPool {
 public:
  /// `cores`: what this process may use for the pool. With as many cores as threads each helper is
  /// pinned to one, never the caller's own: the scheduler likes to wake a helper on its waker's
  /// core and then takes milliseconds to move it.
  ThreadPool(int num_threads, std::vector<int> cores);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int num_threads() const noexcept { return num_threads_; }

  /// Calls body(part) for each part in [0, num_parts), num_parts < 65536, and returns when all are
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
  std::vector<int> cores_;            // the caller's, then a helper's each, then spare ones
  std::vector<std::thread> helpers_;  // touched by the owner of busy_ only
  bool started_ = false;              // likewise
  std::uint32_t generation_ = 0;      // likewise
  Task task_ = nullptr;               // written before state_, read after a successful claim
  const void* context_ = nullptr;

  std::atomic<bool> busy_{false};
  std::atomic<bool> stopping_{false};
  /// generation << 32 | next part << 16 | number of parts: a claim is one compare-and-swap, which
  /// fails for a helper that comes too late.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<std::uint32_t> finished_{0};  // parts done by helpers
  std::atomic<std::uint32_t> caller_sleeps_{0};
  alignas(64) std::atomic<std::uint32_t> wake_count_{0};
  std::atomic<int> sleepers_{0};
};

/// Where pinning is not allowed the thread runs anywhere.
void pin_thread(std::thread& thread, int core) noexcept;
/// Starts a thread that takes none of the application's signals; false when there is none to have.
bool start_quiet_thread(std::vector<std::thread>& threads, void (*body)(void*),
                        void* context) noexcept;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_THREAD_POOL_HPP_
