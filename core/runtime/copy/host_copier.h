// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies of host memory. One thread of a server's processor moves a part of what its memory or a
// card's bus can.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_HOST_COPIER_H_
#define PATCHBAY_CORE_RUNTIME_COPY_HOST_COPIER_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "patchbay/runtime.h"

#include "core/base/environment.h"

namespace patchbay::runtime {

/// Shares large copies among the threads that the application lends. If it lends none, among the
/// calling thread and threads of its own, which start with the first such copy and sleep when there
/// is none. Thread-safe: a copy that finds the threads busy runs in the calling thread alone.
class HostCopier {
 public:
  /// Smaller copies are not shared: they are in the processor's cache, or soon done.
  static constexpr std::size_t kLeastSharedBytes = std::size_t{4} << 20;

  /// Errors: kInvalidArgument for a bad setting `copy_threads`.
  HostCopier(const ThreadPool& lent, const base::Environment& environment);
  ~HostCopier();
  HostCopier(const HostCopier&) = delete;
  HostCopier& operator=(const HostCopier&) = delete;

  /// The chunk size of staged copies that nobody has measured; with a leg that the host makes, one
  /// that is shared.
  std::size_t chunk_bytes(bool has_host_leg) const;
  /// Whether large copies have more than one thread.
  bool shares() const { return lends_threads() ? lent_.num_threads > 1 : num_threads_ > 1; }
  /// Blocks. As memmove.
  void copy(void* to, const void* from, std::size_t size_bytes);

 private:
  /// Disjoint memory, in parts that threads take one after the other.
  struct Job {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t size_bytes = 0, part_bytes = 0, num_parts = 0;

    void copy_part(std::size_t part) const;
  };

  bool lends_threads() const { return lent_.num_threads > 0; }
  bool share(const Job& job);
  void start_threads();
  void help();
  /// Takes parts until none is left. The caller holds the mutex.
  void take_parts(std::unique_lock<std::mutex>& lock);

  const ThreadPool& lent_;
  const std::size_t num_threads_;  // with the caller, if none are lent
  std::mutex turn_;                // of the one copy that is shared
  std::mutex mutex_;
  std::condition_variable has_parts_, is_done_;
  Job job_;  // under mutex_, as all below
  std::size_t next_part_ = 0, num_done_ = 0;
  bool stops_ = false, has_started_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_HOST_COPIER_H_
