// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The thread on which a device with its own share of cores computes.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_LEAD_THREAD_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_LEAD_THREAD_HPP_

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kit/machine/subnormals.hpp"

namespace patchbay::cpu {

/// Runs one piece of work at a time while its caller waits; other callers queue.
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

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_LEAD_THREAD_HPP_
