// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A position on a stream.
#ifndef PATCHBAY_NULL_EVENT_HPP_
#define PATCHBAY_NULL_EVENT_HPP_

#include "todo.hpp"

namespace null {

class Event : public plugin::Event {
 public:
  bool is_done() override;
  bool wait(std::uint64_t deadline_ns) override;

  // Optional
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;
};

}  // namespace null

#endif  // PATCHBAY_NULL_EVENT_HPP_
