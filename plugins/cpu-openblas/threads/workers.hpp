// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The threads of one device.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_WORKERS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_WORKERS_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/host.hpp"

#include "cpu-openblas/threads/thread_pool.hpp"
#include "cpu-openblas/threads/topology.hpp"
#include "kit/machine/subnormals.hpp"

namespace patchbay::cpu {

/// The thread on which a device with its own share of cores computes. Runs one piece of work at a
/// time while its caller waits; other callers queue.
class LeadThread {
 public:
  /// The thread starts with the first work and is pinned to `core`.
  explicit LeadThread(int core, Subnormals subnormals = {})
      : core_(core), subnormals_(subnormals) {}
  LeadThread(const LeadThread&) = delete;
  LeadThread& operator=(const LeadThread&) = delete;
  ~LeadThread();

  /// Rethrows what `body` throws.
  template <class Body>
  void run(const Body& body) {
    run_task([](const void* context) { (*static_cast<const Body*>(context))(); }, &body);
  }

 private:
  using Task = void (*)(const void* context);
  enum Phase : std::uint32_t { kIdle, kPosted, kDone, kStopping };

  void run_task(Task task, const void* context);
  void main() noexcept;

  const int core_;
  const Subnormals subnormals_;
  std::mutex mutex_;                 // held by the caller whose work runs
  std::vector<std::thread> thread_;  // none or one; under mutex_
  Task task_ = nullptr;
  const void* context_ = nullptr;
  std::exception_ptr failure_;
  std::atomic<std::uint32_t> phase_{kIdle};
};

/// A single device computes on the caller and its helpers. Several devices compute on their own
/// pinned threads while the caller waits. If the application lends its threads, the caller computes
/// with them, and no thread is started here.
class Workers {
 public:
  Workers(const Share& share, plugin::Host host)
      : host_(host),
        lent_threads_(static_cast<int>(host.lent_threads())),
        subnormals_(Subnormals::wanted(host)),
        pool_(share.num_threads, share.cores, subnormals_) {
    if (share.own_threads && lent_threads_ == 0) lead_.emplace(share.cores.front(), subnormals_);
  }

  int num_threads() const noexcept {
    return lent_threads_ != 0 ? lent_threads_ : pool_.num_threads();
  }
  bool is_inline() const noexcept { return !lead_.has_value(); }
  /// How all threads that compute treat them. The caller and the threads of streams see to
  /// themselves.
  Subnormals subnormals() const noexcept { return subnormals_; }

  /// Runs body() on the thread on which this device computes.
  template <class Body>
  void run(const Body& body) {
    if (lead_) {
      lead_->run(body);
    } else {
      body();
    }
  }

  /// Calls body(part) for each part; see ThreadPool.
  template <class Body>
  void parallel_for(int num_parts, const Body& body) noexcept {
    if (lent_threads_ == 0) return pool_.parallel_for(num_parts, body);
    const plugin::detail::CancellationOff not_cancelled;  // the application's code may wait
    host_.parallel_for(static_cast<std::uint64_t>(num_parts), [&](std::uint64_t part) {
      const Subnormals::Scope scope(subnormals_);
      body(static_cast<int>(part));
    });
  }

  /// Calls body(part, unit) for each of `units` units of work on up to `num_parts` threads. A
  /// thread takes the next unit when it has done one, so one that shares its core takes fewer.
  template <class Body>
  void for_units(std::int64_t units, int num_parts, const Body& body) noexcept {
    std::atomic<std::int64_t> next{0};
    const auto run = [&](int part) {
      for (;;) {
        const std::int64_t unit = next.fetch_add(1, std::memory_order_relaxed);
        if (unit >= units) return;
        body(part, unit);
      }
    };
    if (num_parts <= 1) return run(0);
    parallel_for(num_parts, run);
  }

  /// Calls body(begin, end) for pieces that cover [0, n) and start at multiples of `grain`. `bytes`
  /// estimates the memory traffic or comparable work; small jobs run on one thread.
  template <class Body>
  void split(std::int64_t n, std::int64_t grain, std::int64_t bytes, const Body& body) noexcept {
    const std::int64_t num_grains = (n + grain - 1) / grain;
    const std::int64_t wanted = std::min(num_grains, num_parts_for(bytes));
    if (wanted <= 1) {
      if (n > 0) body(std::int64_t{0}, n);
      return;
    }
    const std::int64_t piece = (num_grains + wanted - 1) / wanted * grain;
    const auto parts = static_cast<int>((n + piece - 1) / piece);
    parallel_for(parts, [&](int part) {
      const std::int64_t begin = part * piece;
      body(begin, std::min(n, begin + piece));
    });
  }

 private:
  // A fork and join takes about a microsecond, in which a core moves this much.
  static constexpr std::int64_t kWorthAThread = 96 << 10;
  // More parts than threads balance the load if other programs use a core.
  static constexpr std::int64_t kPartBytes = 4 << 20;

  std::int64_t num_parts_for(std::int64_t bytes) const noexcept {
    const std::int64_t threads = num_threads();
    if (threads <= 1 || bytes < 2 * kWorthAThread) return 1;
    const std::int64_t rounds = std::clamp<std::int64_t>(bytes / (threads * kPartBytes), 1, 4);
    return std::min(threads, bytes / kWorthAThread) * rounds;
  }

  const plugin::Host host_;
  const int lent_threads_;  // 0: none
  const Subnormals subnormals_;
  ThreadPool pool_;
  std::optional<LeadThread> lead_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_WORKERS_HPP_
