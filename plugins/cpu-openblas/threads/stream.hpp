// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The default stream computes in the submitting call; every other stream has its own thread.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_STREAM_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_STREAM_HPP_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/threads/timeline.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/machine/subnormals.hpp"

namespace patchbay::cpu {

/// A thread that runs the work of a stream in order. It starts with the first work and sleeps when
/// there is none.
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

class Stream final : public plugin::Stream {
 public:
  Stream(Workers& workers, bool is_inline)
      : workers_(workers),
        queue_(is_inline ? nullptr : std::make_unique<Queue>(workers.subnormals())) {}

  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override;
  void wait_event(plugin::Event& event) override;
  void flush() override {}
  bool synchronize(std::uint64_t deadline_ns) override;
  bool is_cancellable() const noexcept override { return true; }
  void add_callback(plugin::Callback callback) override;

  /// Calls compute(arguments) here or on the stream's thread; it must own everything else it needs.
  template <class Compute>
  void submit(plugin::Arguments arguments, std::string_view name, const Compute& compute) {
    if (queue_ == nullptr) {
      const Subnormals::Scope scope(workers_.subnormals());
      return compute(arguments);
    }
    submit_launch(
        name, [compute, kept = std::vector<patchbay_argument>(arguments.begin(), arguments.end())] {
          compute(plugin::Arguments(kept));
        });
  }

 private:
  void submit_launch(std::string_view name, std::function<void()> work);
  void submit_copy(char* to, const char* from, std::uint64_t size_bytes);
  void copy(char* to, const char* from, std::uint64_t size_bytes);

  Workers& workers_;
  const std::unique_ptr<Queue> queue_;  // null: inline
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_STREAM_HPP_
