// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An in-order queue. Copies are queued here too.
#ifndef PATCHBAY_NULL_STREAM_HPP_
#define PATCHBAY_NULL_STREAM_HPP_

#include "todo.hpp"

namespace null {

class Stream : public plugin::Stream {
 public:
  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override;
  void wait_event(plugin::Event& event) override;
  void flush() override;
  bool synchronize(std::uint64_t deadline_ns) override;

  // Optional
  void copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                    std::uint64_t size_bytes) override;
  void add_callback(plugin::Callback callback) override;
};

}  // namespace null

#endif  // PATCHBAY_NULL_STREAM_HPP_
