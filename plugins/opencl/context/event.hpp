// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_CONTEXT_EVENT_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CONTEXT_EVENT_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/api/handle.hpp"
#include "opencl/context/timeline.hpp"

namespace patchbay::opencl {

class Context;

/// A marker in a queue. An event that was not recorded has no marker and is done.
class Event : public plugin::Event {
 public:
  explicit Event(const Context& context) : context_(context) {}

  bool is_done() override;
  bool wait(std::uint64_t deadline_ns) override;
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;

  void set(EventHandle marker, Position position);
  const Context& context() const { return context_; }
  cl_event native() const { return marker_.get(); }
  const Position& position() const { return position_; }

 private:
  std::uint64_t reached_ns();

  const Context& context_;
  EventHandle marker_;
  Position position_;
};

/// Waits until the event has completed or failed. Returns false if the deadline passes first.
bool wait_for(const Symbols& cl, cl_event event, plugin::Host host, std::uint64_t deadline_ns);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CONTEXT_EVENT_HPP_
