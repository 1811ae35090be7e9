// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams that compute in the call that submits: whatever was recorded has happened.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_STREAM_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_STREAM_HPP_

#include <atomic>
#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "workers.hpp"

namespace patchbay::cpu {

class Event final : public plugin::Event {
 public:
  void record() noexcept;
  bool is_done() override { return true; }
  bool wait(std::uint64_t) override { return true; }
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;

 private:
  std::atomic<std::uint64_t> recorded_ns_{0};
};

class Stream final : public plugin::Stream {
 public:
  explicit Stream(Workers& workers) : workers_(workers) {}

  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override { static_cast<Event&>(event).record(); }
  void wait_event(plugin::Event&) override {}
  void flush() override {}
  bool synchronize(std::uint64_t) override { return true; }
  void add_callback(void (*call)(void* user, patchbay_status*), void* user) override {
    call(user, nullptr);
  }

 private:
  void copy(char* to, const char* from, std::uint64_t size_bytes);

  Workers& workers_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_STREAM_HPP_
