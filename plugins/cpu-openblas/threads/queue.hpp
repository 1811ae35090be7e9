// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A thread that runs the work of a stream in order.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_QUEUE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_QUEUE_HPP_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu-openblas/threads/timeline.hpp"
#include "kit/machine/subnormals.hpp"

namespace patchbay::cpu {

/// The thread starts with the first work and sleeps when there is none.
class Queue {
 public:
  explicit Queue(Subnormals subnormals) : subnormals_(subnormals) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  /// Waits for the submitted work.
  ~Queue();

  /// Returns the position. If `work` throws, the stream fails and later work is skipped.
  std::uint64_t submit(std::function<void()> work);
  const std::shared_ptr<Timeline>& timeline() const { return timeline_; }

 private:
  struct Item {
    std::uint64_t position;
    std::function<void()> work;
  };
  void main() noexcept;
  void run(const Item& item) noexcept;

  const Subnormals subnormals_;
  const std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool stopping_ = false;
  std::vector<std::thread> thread_;  // none or one
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_QUEUE_HPP_
